"""Programs that misbehave, run for real: each ends, leaves nothing running, and changes no file of the user."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sandbox_children import TOKEN, eventually, isolations, named, processes_with, state

from devfix.sandbox import processes
from devfix.sandbox.box import boxed
from devfix.sandbox.enclosure import _TMP_ENTRIES, OPEN, Isolation
from devfix.sandbox.ending import Ending
from devfix.sandbox.limits import MIB, Limits
from devfix.sandbox.supervision import Keepers, SandboxError, strongest_isolation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the traces of a run are looked for in /proc")

#: Generous where a test is about another limit.
SMALL = Limits(seconds=30, memory=400 * MIB, processes=40, output=4 * MIB, grace=0.3, head=MIB, tail=4096)


@pytest.fixture(params=isolations(), ids=named)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    found: Isolation = request.param
    return found


@pytest.fixture
def strongest() -> Isolation:
    """For what does not depend on the isolation."""
    return strongest_isolation()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "data").mkdir(parents=True)
    (project / "data" / "table.csv").write_text("1,2\n")
    (project / "read_only.txt").write_text("stays")
    (project / "read_only.txt").chmod(0o444)
    return project


def run(
    folder: Path,
    program: str,
    isolation: Isolation,
    limits: Limits = SMALL,
    changes: Mapping[str, str] | None = None,
) -> Ending:
    """Run a program in a copy of the folder; it leaves no process, and the folder as it was."""
    (folder / "program.py").write_text(textwrap.dedent(program))
    before, token = state(folder), secrets.token_hex(8)
    with boxed(folder, isolation) as box:
        ending = box.run(
            [sys.executable, "program.py", token], folder, limits, {TOKEN: token, **(changes or {})}
        )
        assert processes_with(token) == []
        place = box.folder
    assert not place.exists()
    assert state(folder) == before
    assert ending.left == ()
    return ending


def test_a_program_that_ends_well(folder: Path, isolation: Isolation) -> None:
    ending = run(folder, "import sys\nprint('é', 1)\nprint('oh', file=sys.stderr)", isolation)
    assert (ending.status, ending.limit, ending.output, ending.errors) == (0, None, "é 1\n", "oh\n")


def test_a_program_that_never_ends(folder: Path, isolation: Isolation) -> None:
    ending = run(folder, "while True: pass", isolation, Limits(seconds=0.5, grace=0.3))
    assert (ending.limit, ending.signal_name) == ("time", "SIGTERM")


def test_a_program_that_never_ends_and_will_not_be_asked(folder: Path, strongest: Isolation) -> None:
    program = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)"
    ending = run(folder, program, strongest, Limits(seconds=2, grace=0.2))
    assert (ending.limit, ending.signal_name) == ("time", "SIGKILL")


def test_a_program_may_tell_how_far_it_came_when_time_is_over(folder: Path, isolation: Isolation) -> None:
    program = """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: (print("at step 7"), sys.exit(3)))
        while True: time.sleep(0.01)
    """
    ending = run(folder, program, isolation, Limits(seconds=2, grace=20))
    assert (ending.limit, ending.status, ending.output) == ("time", 3, "at step 7\n")


def test_a_stopped_program_ends_too(folder: Path, strongest: Isolation) -> None:
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
    assert run(folder, program, strongest, Limits(seconds=0.5, grace=0.2)).limit == "time"


def test_a_fork_bomb(folder: Path, isolation: Isolation) -> None:
    # Not at full speed: a bomb that doubles unhindered starves the machine, this test's own watcher included.
    ending = run(folder, "import os, time\nwhile True:\n    os.fork()\n    time.sleep(0.2)", isolation)
    assert ending.limit == "processes"
    assert ending.peak_processes > SMALL.processes


def test_a_fork_bomb_whose_parts_detach_themselves(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, time
        while True:
            if os.fork() == 0:
                os.setsid()
            time.sleep(0.2)
    """
    assert run(folder, program, isolation).limit == "processes"


def test_a_fork_bomb_of_large_processes(folder: Path, isolation: Isolation) -> None:
    ending = run(folder, "import os\nkept = b'x' * (100 << 20)\nwhile True: os.fork()", isolation)
    # What they share counts once, unless asking for it takes too long.
    assert ending.limit in ("processes", "memory")


def test_a_program_that_allocates_without_bound(folder: Path, isolation: Isolation) -> None:
    program = "kept = []\nwhile True: kept.append(bytearray(1 << 20))"
    ending = run(folder, program, isolation)
    assert ending.limit == "memory"
    assert ending.peak_memory > SMALL.memory


def test_children_that_allocate_together_count_together(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, time
        for _ in range(6):
            if not os.fork():
                kept = b"x" * (100 << 20)
                time.sleep(60)
        time.sleep(60)
    """
    assert run(folder, program, isolation).limit == "memory"


def test_memory_that_forked_children_share_counts_once(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, time
        kept = bytearray(b"x") * (150 << 20)
        for _ in range(6):
            if not os.fork():
                time.sleep(0.5)
                os._exit(0)
        for _ in range(6):
            os.wait()
    """
    ending = run(folder, program, isolation)
    assert (ending.limit, ending.status) == (None, 0)


def test_a_program_that_prints_without_end(folder: Path, isolation: Isolation) -> None:
    ending = run(folder, "while True: print('spam' * 1000)", isolation)
    assert ending.limit == "output"
    assert len(ending.output) < SMALL.head + SMALL.tail + 100
    assert ending.dropped > 0


def test_errors_count_as_output(folder: Path, strongest: Isolation) -> None:
    program = "import sys\nwhile True: sys.stderr.write('spam' * 1000)"
    assert run(folder, program, strongest).limit == "output"


@pytest.mark.parametrize(
    ("program", "status", "name"),
    [
        ("import sys; sys.exit(3)", 3, None),
        ("import os; os._exit(4)", 4, None),
        ("import sys; sys.exit('no data')", 1, None),
        ("raise KeyError('mine')", 1, None),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, "SIGKILL"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15, "SIGTERM"),
        ("import os; os.abort()", -6, "SIGABRT"),
        ("import ctypes; ctypes.string_at(0)", -11, "SIGSEGV"),
    ],
)
def test_the_status_is_the_programs(
    folder: Path, strongest: Isolation, program: str, status: int, name: str | None
) -> None:
    ending = run(folder, program, strongest)
    assert (ending.status, ending.signal_name, ending.limit) == (status, name, None)


def test_standard_input_is_empty(folder: Path, strongest: Isolation) -> None:
    ending = run(folder, "import sys\nprint(repr(sys.stdin.read()))\ninput()", strongest)
    assert (ending.status, ending.output) == (1, "''\n")
    assert "EOFError" in ending.errors


def test_a_daemon_does_not_outlive_the_run(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, sys, time
        if os.fork():
            time.sleep(0.2)
            sys.exit(0)
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (0, 1, 2):
            os.close(number)
        time.sleep(600)
    """
    assert run(folder, program, isolation).status == 0


def test_a_child_that_holds_the_output_open_does_not_hold_the_run(folder: Path, strongest: Isolation) -> None:
    program = """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        print("done")
    """
    ending = run(folder, program, strongest)
    assert (ending.status, ending.output) == (0, "done\n")


def test_a_program_that_kills_everything_it_can(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, signal, subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        os.kill(os.getppid(), signal.SIGKILL)
        print("alive", flush=True)
        import time; time.sleep(600)
    """
    ending = run(folder, program, isolation, Limits(seconds=1, grace=0.2))
    # Without processes of its own it can reach the one that watches over it.
    assert ending.limit == ("time" if isolation.processes else "lost")


def test_what_it_writes_to_its_folder_is_gone_with_the_copy(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, pathlib, shutil
        here = pathlib.Path(__file__).resolve().parent
        assert here == pathlib.Path.cwd()
        shutil.rmtree(here / "data")
        (here / "read_only.txt").write_text("mine")
        (here / "program.py").write_text("")
        (here / "locked").mkdir()
        (here / "locked" / "file").write_text("")
        (here / "locked").chmod(0)
    """
    ending = run(folder, program, isolation)
    assert (ending.status, ending.errors) == (0, "")


def test_home_and_temporary_files_are_its_own(folder: Path, isolation: Isolation) -> None:
    program = """
        import os, pathlib, tempfile
        pathlib.Path("~").expanduser().joinpath(".left-behind-by-a-test").write_text("x")
        tempfile.NamedTemporaryFile(prefix="left-behind-by-a-test", delete=False)
        print(pathlib.Path("~").expanduser())
    """
    ending = run(folder, program, isolation)
    assert ending.status == 0, ending.errors
    assert not Path("~").expanduser().joinpath(".left-behind-by-a-test").exists()
    assert not [name for name in os.listdir("/tmp") if name.startswith("left-behind-by-a-test")]
    assert ending.output.strip() != str(Path("~").expanduser())


def test_a_file_larger_than_allowed_cannot_be_written(folder: Path, strongest: Isolation) -> None:
    program = "with open('large', 'wb') as file: file.write(bytes(2 << 20))"
    ending = run(folder, program, strongest, Limits(seconds=30, file_size=MIB))
    assert "File too large" in ending.errors


def test_a_full_disk_ends_it(folder: Path, strongest: Isolation) -> None:
    ending = run(folder, "import time; time.sleep(600)", strongest, Limits(disk_left=1 << 60))
    assert ending.limit == "disk"


def test_what_cannot_be_started_is_an_error(folder: Path, isolation: Isolation) -> None:
    with boxed(folder, isolation) as box, pytest.raises(SandboxError, match="No such file"):
        box.run(["/no/such/program"], folder, SMALL)


def test_the_variables_are_set(folder: Path, strongest: Isolation) -> None:
    program = "import os; print(*(os.environ[name] for name in ('PYTHONHASHSEED', 'HF_HUB_OFFLINE', 'OWN')))"
    assert run(folder, program, strongest, changes={"OWN": "yes"}).output == "0 1 yes\n"


# ---- what namespaces add

needs_namespaces = pytest.mark.skipif(
    not strongest_isolation().files, reason="this system grants no namespaces"
)


@needs_namespaces
def test_an_isolated_program_reaches_no_network_but_itself(folder: Path) -> None:
    program = """
        import socket
        try:
            socket.create_connection(("192.0.2.1", 80), 5)
        except OSError as error:
            print(error.strerror)
        listener = socket.create_server(("127.0.0.1", 0))
        print(socket.create_connection(listener.getsockname(), 5).getpeername() == listener.getsockname())
    """
    ending = run(folder, program, strongest_isolation())
    assert ending.output == "Network is unreachable\nTrue\n"
    assert ending.network_off


@needs_namespaces
def test_an_isolated_program_writes_nowhere_else(folder: Path, tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    (others / "file").write_text("mine")
    (folder / "way_out").symlink_to(others)
    before = state(tmp_path / "others")
    program = f"""
        for path in ("way_out/file", "way_out/new", {str(others / "file")!r}, {str(Path.home() / "made-by-a-test")!r}):
            try:
                open(path, "w")
            except OSError as error:
                print(error.strerror)
        print(open("way_out/file").read())
        open({str(folder / "made.txt")!r}, "w").write("in the copy")
        open("/tmp/made-by-a-test", "w")
    """
    ending = run(folder, program, strongest_isolation())
    assert ending.output == "Read-only file system\n" * 4 + "mine\n"
    assert ending.errors == ""
    assert state(others) == before
    assert not Path("/tmp/made-by-a-test").exists()


@pytest.fixture
def crowded() -> Iterator[list[str]]:
    """Two old folders in ``/tmp``, and more newer ones than an isolated program is shown."""
    with ExitStack() as stack:
        made = [stack.enter_context(TemporaryDirectory(dir="/tmp")) for _ in range(_TMP_ENTRIES + 2)]
        for path in made[:2]:
            os.utime(path, (0, 0))
        yield made[:2]


@needs_namespaces
def test_an_isolated_program_sees_what_its_environment_names(folder: Path, crowded: list[str]) -> None:
    named, other = crowded
    program = f"import os; print(*map(os.path.isdir, ({named!r}, {other!r})))"
    changes = {"PACKAGES": os.pathsep.join(["/usr/lib", f"{named}/packages"])}
    assert run(folder, program, strongest_isolation(), changes=changes).output == "True False\n"


@needs_namespaces
def test_an_isolated_program_sees_no_other_process(folder: Path) -> None:
    program = "import os; print(len([name for name in os.listdir('/proc') if name.isdecimal()]))"
    assert run(folder, program, strongest_isolation()).output == "2\n"


# ---- when devfix itself has to stop

_WATCHER = """
import sys
from pathlib import Path
from devfix.sandbox import processes
from devfix.sandbox.box import boxed
from devfix.sandbox.enclosure import Isolation
from devfix.sandbox.limits import Limits
with boxed(Path(sys.argv[1]), Isolation(*map(int, sys.argv[3]))) as box:
    print(box.folder, flush=True)
    box.run([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[2][::-1]], Path(sys.argv[1]), Limits())
"""


def test_the_child_ends_when_devfix_is_killed(folder: Path, isolation: Isolation) -> None:
    token = secrets.token_hex(8)
    flags = [isolation.user, isolation.network, isolation.files, isolation.processes]
    word = "".join(str(int(flag)) for flag in flags)
    root = str(Path(__file__).resolve().parents[1])
    devfix = subprocess.Popen(
        [sys.executable, "-c", _WATCHER, str(folder), token, word],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert devfix.stdout is not None
    place = Path(devfix.stdout.readline().decode().strip())
    child = token[
        ::-1
    ]  # so that devfix itself, and its forks before they are something else, are not taken for it
    assert eventually(lambda: bool(processes_with(child)))
    devfix.send_signal(signal.SIGKILL)
    devfix.wait()
    devfix.stdout.close()
    assert eventually(lambda: processes_with(child) == [])
    assert eventually(lambda: not place.exists())


def test_ending_some_children_leaves_the_others_to_who_waits_for_them() -> None:
    ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    hangs = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    # The status stays with the system until somebody asks for it.
    assert eventually(lambda: processes.running()[ended.pid].dead)
    left = processes.end_all(
        lambda: [each for each in processes.running().values() if each.pid == hangs.pid and not each.dead], 10
    )
    assert left == []
    assert (ended.wait(), hangs.wait()) == (7, -signal.SIGKILL)


def test_after_a_stop_nothing_starts() -> None:
    keepers = Keepers()
    keepers.stop()
    assert keepers.ask({}) is None
    assert keepers.stopped


def test_without_namespaces_the_isolation_says_so(folder: Path) -> None:
    assert not run(folder, "", OPEN).network_off
