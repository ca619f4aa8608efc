"""Config: what the user asked for in settings files and on the command line."""

from devfix.config.command_line import Asked, configuration_of
from devfix.config.configuration import Configuration, SettingsOf
from devfix.config.globs import Glob, globs
from devfix.config.settings import DEVICE_POLICIES, ConfigError, Settings

__all__ = [
    "DEVICE_POLICIES",
    "Asked",
    "ConfigError",
    "Configuration",
    "Glob",
    "Settings",
    "SettingsOf",
    "configuration_of",
    "globs",
]
