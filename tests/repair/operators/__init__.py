"""The operators: each makes one kind of mistake, everywhere it could be made."""

from __future__ import annotations

from repair.change import Operator
from repair.operators.dtypes import cast_dropped, dtype_keyword_dropped
from repair.operators.host import fetch_dropped, map_location_dropped
from repair.operators.loading import generator_moved, moved_by_data
from repair.operators.moves import device_keyword_dropped, move_dropped, result_discarded
from repair.operators.optimizers import moved_late
from repair.operators.registration import buffer_to_attribute, container_to_plain

#: Each works on one file; that all device handling is removed concerns the whole program.
OPERATORS: tuple[Operator, ...] = (
    move_dropped,
    device_keyword_dropped,
    result_discarded,
    buffer_to_attribute,
    container_to_plain,
    moved_late,
    fetch_dropped,
    map_location_dropped,
    cast_dropped,
    dtype_keyword_dropped,
    moved_by_data,
    generator_moved,
)
