"""Cache: what earlier runs found out, for files that have not changed since.

A folder (``.devfix_cache`` beside the settings) holds two files for each way in which devfix is called
there (``memory``). What is in them was computed from the content of files, which is what it is looked up by;
the times that a file system keeps only save reading the files again (``signatures``). Each file carries a seal
that only this user can make (``seal``): a project cannot ship a cache that hides its faults.
"""
