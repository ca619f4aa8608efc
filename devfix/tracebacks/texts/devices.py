"""The texts of any operator whose operands are on two devices.

Sources: the single facts and the operator table recorded on an H200 with torch 2.11; TensorIterator.cpp and
op_registration/adaption.cpp of PyTorch for the order in which they name devices; reports for the old ones.
"""

from __future__ import annotations

from devfix.tracebacks.readings import Family

DEVICES: tuple[Family, ...] = (
    Family(
        "named-argument",
        "device",
        r"(?:got )?<n:argument> is on <d:on>, different from other tensors on <d:others>"
        r"(?: \((?:when checking argu?ment in method )?<n:operator>)?",
        near="different from other tensors",
        versions="since about 2.8",
    ),
    Family(
        # The first device is that of the operands before, the second that of the argument it names.
        "named-argument-1.8",
        "device",
        r"same (?:common )?device, but found at least two devices, <d:others> and <d:on>! ?\(when checking ar\w{4,6}t for argument <n:argument> in method <n:operator>",
        near="found at least two devices",
        versions="1.8 to about 2.7",
    ),
    Family(
        "two-devices",
        "device",
        r"same (?:common )?device, but found at least two devices, <d:first> and <d:second>",
        near="found at least two devices",
        versions="since 1.6",
    ),
    Family(
        "put-value-device",
        "device",
        r"[Ee]xpected device <d:others> but got device <d:on> for value tensor",
        near="for value tensor",
        argument="value",
        operator="index_put",
    ),
    Family(
        "device-and-dtype",
        "device",
        r"[Ee]xpected device <d:first> and dtype <t:wanted> but got device <d:second> and dtype <t:found>",
        near="and dtype",
        versions="1.3 to 1.5",
    ),
    Family(
        "expected-device",
        "device",
        r"[Ee]xpected device <d:first> but got device <d:second>",
        near="but got device",
        versions="1.2 to 1.5",
    ),
    Family(
        "device-type-of-argument",
        "device",
        r"Expected object of (?:device type|backend) <d:others> but got (?:device type|backend) <d:on>"
        r" for (?:argument|sequence element) #?(?P<position>\d+)(?: '<n:argument>')?"
        r"(?: in sequence argument at position #\d+ '<n:sequence>')?(?: in call to <n:operator>)?",
        near="Expected object of",
        versions="0.4 to 1.6",
    ),
    Family(
        "tensor-type-of-argument",
        "device",
        r"Expected object of type <t:as_others> but found type <t:as_argument> for argument #(?P<position>\d+) '<n:argument>'(?: in call to <n:operator>)?",
        near="but found type",
        versions="0.4",
    ),
    Family(
        "invalid-combination-of-types",
        "device",
        r"received an invalid combination of arguments - got \([^)]{0,400}torch\.(?:cuda\.)?\w+Tensor[^)]{0,400}\), but expected",
        near="invalid combination of arguments",
        versions="0.1 to 0.3",
        says="An operator got CPU tensors and CUDA tensors together; PyTorch lists the types it got.",
    ),
    Family(
        "argument-not-on-gpu",
        "device",
        r"Tensor for (?:argument #?(?:\d+)? ?)?'?<n:argument>'? is on <d:on>, but expected (?:it|them) to be on <d:others>(?: \(while checking arguments for <n:operator>)?",
        near="but expected",
        versions="1.6 to 1.9",
    ),
    Family(
        "two-gpus-of-arguments",
        "device",
        r"Expected tensor for argument #(?P<position>\d+) '<n:other>' to have the same device as tensor for argument #\d+ '<n:argument>'; but device (?P<others>\d+) does not equal (?P<on>\d+)"
        r"(?: \(while checking arguments for <n:operator>)?",
        near="does not equal",
    ),
    Family(
        "different-gpus",
        "device",
        r"arguments are located on different GPUs",
        near="different GPUs",
        says="An operator got tensors on two different GPUs.",
        versions="0.4 to 1.7",
    ),
    Family(
        "inputs-of-operator",
        "device",
        r"(?:<n:operator>\(\): )?expected both inputs to be on same device, but input a is on <d:at_input> and input b is on <d:at_other>",
        near="expected both inputs",
    ),
    Family(
        "cat-inputs",
        "device",
        r"[Aa]ll input tensors must be on the same device\. Received <d:first> and <d:second>",
        near="on the same device. Received",
        operator="cat",
    ),
    Family(
        "too-many-cpu-scalars",
        "device",
        r"Trying to pass too many CPU scalars to (?:non-CPU|CUDA) kernel",
        near="too many CPU scalars",
        says="More than one 0-dimensional operand is on the CPU while the result is on the accelerator. PyTorch lets one such number through, not two.",
        advice="Make the numbers on the device (`torch.tensor(1.0, device=device)`), or use plain Python numbers (`.item()`).",
        rules=("created-on-cpu",),
    ),
    Family(
        "where-condition",
        "device",
        r"Expected condition, x and y to be on the same device, but condition is on <d:at_condition> and x and y are on <d:at_input> and <d:at_other> respectively",
        near="Expected condition",
        operator="where",
    ),
    Family(
        "fake-tensor-devices",
        "device",
        r"Unhandled FakeTensor Device Propagation for aten[.:]+<n:operator>[\w.]{0,40},? found two different devices <d:first>,? (?:and )?<d:second>",
        near="FakeTensor Device Propagation",
        versions="since 2.0, in torch.compile",
    ),
    Family(
        "not-on-expected-device",
        "device",
        r"Tensor on device <d:first> is not on the expected device <d:second>",
        near="is not on the expected device",
    ),
    Family(
        "device-of-checked-tensor",
        "device",
        r"Expected tensor to have <d:others> Device(?:Type)?, but got tensor with <d:on> Device(?:Type)? \(while checking arguments for (?:torch\.)?<n:operator>",
        near="Device",
    ),
    Family(
        "kernel-loops",
        "device",
        r"is_(?:cuda|cpu|xpu)\(\)\W{0,3}INTERNAL ASSERT FAILED at \S{0,200}(?:Loops|SparseTensorMath|TensorIterator)",
        near="INTERNAL ASSERT FAILED",
        says="An operand of an operator is on the CPU. PyTorch calls it an internal assertion, but it is a plain mismatch: this operator forgets to check its operands.",
    ),
)

#: What any other text about devices has in common; tried when nothing else fits.
GENERAL: tuple[Family, ...] = (
    Family(
        "expected-operand-on-device",
        "device",
        r"expected '<n:argument>' to be (?:a )?<d:others>(?: tensor)?, but got (?:a )?(?:tensor on )?<d:on>",
        near="expected '",
    ),
    Family(
        "same-device-of",
        "device",
        r"(?:must be|to be|to have|be|are|have|has)(?: all)?(?: on| in)? (?:the |a )?same device(?: type)?\b(?:[^.]{0,80}?(?:got|found|but|:) [^.]{0,80}?\b(?P<first>cpu|cuda(?::\d+)?|mps(?::\d+)?|xpu(?::\d+)?)\b(?:[^.]{0,60}?\b(?P<second>cpu|cuda(?::\d+)?|mps(?::\d+)?|xpu(?::\d+)?)\b)?)?",
        near="same device",
    ),
    Family(
        "same-gpu-of",
        "device",
        r"(?:must be|to be|expected|are) (?:all )?on the same GPU",
        near="same GPU",
        says="Operands of an operator are on different GPUs.",
    ),
)
