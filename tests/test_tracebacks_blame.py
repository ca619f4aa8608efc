"""Which operand is blamed; the tracebacks are an H200's, and the names of the entries tell what was displaced."""

from __future__ import annotations

from pathlib import Path

import pytest
from pastes import NAMED, chosen, explained, plain, recordings, write

from devfix.tracebacks.blame import Blame, blame
from devfix.tracebacks.scene import Files

#: What the blamed operand is in the line that failed; a trailing ``!`` means the module of that name itself.
EXPECTED = {
    "linear_input_cpu": "x",
    "linear_weight_cpu": "nn.Linear(4, 8)!",
    "linear_nobias_input_cpu": "torch.randn(2, 4)",
    "linear_nobias_weight_cpu": "nn.Linear(4, 8, bias=False)!",
    "bilinear_cpu": "torch.randn(2, 3)",
    "conv_input_cpu": "torch.randn(1, 1, 8, 8)",
    "conv_weight_cpu": "nn.Conv2d(1, 2, 3)!",
    "conv_bias_cpu": "torch.zeros(2)",
    "convT_input_cpu": "torch.randn(1, 1, 8, 8)",
    "embedding_ids_cpu": "torch.tensor([1, 2])",
    "embedding_weight_cpu": "nn.Embedding(5, 3)!",
    "embedding_float": "torch.tensor([1.0, 2], device=D)",
    "batchnorm_input_cpu": "torch.randn(2, 4)",
    "batchnorm_module_cpu": "nn.BatchNorm1d(4)!",
    "layernorm_input_cpu": "torch.randn(2, 4)",
    "layernorm_module_cpu": "nn.LayerNorm(4)!",
    "layernorm_double": "torch.randn(2, 4, device=D).double()",
    "rmsnorm_module_cpu": "nn.RMSNorm(4)!",
    "prelu_module_cpu": "nn.PReLU()!",
    "lstm_hidden_cpu": "(torch.zeros(1, 2, 5), torch.zeros(1, 2, 5))",
    "lstm_input_cpu": "torch.randn(3, 2, 4)",
    "lstm_module_cpu": "nn.LSTM(4, 5)!",
    "lstmcell_hidden_cpu": "(torch.zeros(3, 5), torch.zeros(3, 5))",
    "ce_target_cpu": "torch.tensor([0, 1, 2])",
    "ce_input_cpu": "torch.randn(3, 4)",
    "ce_weight_cpu": "nn.CrossEntropyLoss(weight=torch.ones(4))!",
    "ce_target_int": "torch.tensor([0, 1, 2], device=D, dtype=torch.int32)",
    "bce_target_long": "torch.ones(3, device=D, dtype=torch.long)",
    "bcel_target_long": "torch.ones(3, device=D, dtype=torch.long)",
    "bcel_target_bool": "torch.ones(3, device=D, dtype=torch.bool)",
    "huber_target_cpu": "torch.ones(3)",
    "add": "torch.ones(3)",
    "matmul_op": "torch.rand(3, 2)",
    "matmul_left_cpu": "torch.rand(2, 3)",
    "bmm": "torch.rand(2, 3, 3)",
    "mv": "torch.rand(3)",
    "addmm": "torch.rand(2, 2)",
    "einsum": "torch.rand(3, 2)",
    "cdist": "torch.rand(2, 3)",
    "cosine": "torch.rand(2, 3)",
    "cat": "torch.rand(2)",
    "stack": "torch.rand(2)",
    "where": "torch.tensor([True, False])",
    "masked_fill": "torch.tensor([True, False])",
    "masked_fill_float": "torch.ones(2, device=D)",
    "gather": "torch.tensor([[0], [1]])",
    "gather_self_cpu": "torch.rand(2, 3)",
    "gather_float": "torch.rand(2, 1, device=D)",
    "scatter_src": "torch.ones(2, 1)",
    "scatter_self_cpu": "torch.zeros(2, 3)",
    "index_add": "torch.ones(1)",
    "index_cpu_table": "table",
    "index_put_value": "torch.ones(2)",
    "index_put_dtype": "torch.ones(2, device=D)",
    "mask_put_dtype": "torch.ones(5, device=D).half()",
    "grid_sample": "torch.rand(1, 4, 4, 2)",
    "stft": "torch.hann_window(64)",
    "searchsorted": "torch.rand(3)",
    "linalg_solve": "torch.rand(3, 1)",
    "sdpa_mask_cpu": "torch.ones(4, 4, dtype=torch.bool)",
    "sdpa_key_cpu": "q.cpu()",
    "mha_mask": "torch.zeros(4, 4)",
    "conv_double": "torch.randn(1, 1, 8, 8, device=D).double()",
    "conv_half": "torch.randn(1, 1, 8, 8, device=D).half()",
    "linear_half": "torch.ones(2, 4, device=D)",
    "linear_double": "torch.from_numpy(np.ones((2, 4))).to(D)",
    "linear3d_double": "torch.ones(2, 3, 4, device=D).double()",
    "mean_long": "torch.ones(3, dtype=torch.long, device=D)",
    "one_hot_int": "torch.zeros(3, device=D, dtype=torch.int32)",
    "numpy": "torch.rand(2, device=D)",
    "np_mean_list": "[torch.rand((), device=D), torch.rand((), device=D)]",
    "pack": "torch.tensor([3, 2], device=D)",
    "backward_go": "torch.ones(3)",
    "categorical": "torch.distributions.Categorical(probs=torch.ones(3) / 3)!",
    "spmm": "torch.eye(3).to_sparse()",
    "spmm2": "torch.rand(3, 2)",
    "torchmetrics": "m!",
    "torchmetrics_cat": "m!",
}

#: Nobody can tell from these which operand it is, and nobody is accused.
UNDECIDED = (
    "mse_target_cpu",
    "bmm_dtype",
    "adagrad",
    "foreach",
    "mse_double_backward",
    "iadd_cpu_left",
    "sub_bool",
)


def blamed(text: str) -> Blame:
    choice = chosen(text)
    return blame(choice.reading, choice.scene(Files()))


def test_every_recording_is_used() -> None:
    assert set(recordings("operators")) == {*EXPECTED, *UNDECIDED}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_displaced_operand_is_blamed(name: str) -> None:
    (culprit,) = blamed(recordings("operators")[name]).culprits
    assert culprit.text + "!" * culprit.of_module == EXPECTED[name]


@pytest.mark.parametrize("name", UNDECIDED)
def test_nobody_is_accused_without_evidence(name: str) -> None:
    assert blamed(recordings("operators")[name]).culprits == ()


@pytest.mark.parametrize("name", ["adagrad", "foreach"])
def test_an_error_in_a_step_is_about_the_optimizers_state(name: str) -> None:
    told = explained(recordings("operators")[name])
    assert told.reading.kind == "optimizer-state"
    assert told.rules[0] == "optimizer-state-before-move"


@pytest.mark.parametrize("name", ["bcel_target_long", "bcel_target_bool"])
def test_a_loss_that_speaks_of_something_else_means_its_target(name: str) -> None:
    assert chosen(recordings("operators")[name]).reading.kind == "target-dtype"


def test_the_same_words_outside_of_a_loss_mean_a_mask() -> None:
    assert chosen(recordings("operators")["sub_bool"]).reading.kind == "mask-dtype"


OLD = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, {} and {}! (when checking argument for argument {} in method wrapper_{})"


@pytest.mark.parametrize(
    ("devices", "argument", "operator", "line", "text"),
    [
        (("cuda:0", "cpu"), "mat2", "mm", "y = a @ b", "b"),
        (("cpu", "cuda:0"), "mat2", "mm", "y = a @ b", "a"),
        (("cuda:0", "cpu"), "index", "gather", "y = q.gather(1, actions)", "actions"),
        (("cpu", "cuda:0"), "index", "gather", "y = q.gather(1, actions)", "q"),
        (("cuda:0", "cpu"), "src", "scatter__src", "out.scatter_(0, i, src=v)", "v"),
        (("cuda:0", "cpu"), "mask", "CUDA__masked_select", "x = torch.masked_select(s, m)", "m"),
        (("mps:0", "cpu"), "mat2", "MPS_mm", "y = a @ b", "b"),
        (("xpu:0", "cpu"), "mat2", "XPU_mm", "y = a @ b", "b"),
    ],
)
def test_texts_before_2_8_name_the_first_device_first(
    devices: tuple[str, str], argument: str, operator: str, line: str, text: str
) -> None:
    found = blamed(plain(OLD.format(*devices, argument, operator), ("f.py", 3, "f", line)))
    assert [culprit.text for culprit in found.culprits] == [text]


@pytest.mark.parametrize(
    ("line", "message", "text"),
    [
        (
            "y = torch.mm(adj, x)",
            "RuntimeError: Expected object of device type cuda but got device type cpu for argument #2 'mat2' in call to _th_mm",
            "x",
        ),
        (
            "y = torch.mm(adj, x)",
            "RuntimeError: Expected object of device type cuda but got device type cpu for argument #1 'self' in call to _th_mm",
            "adj",
        ),
        (
            "y = t.index_select(0, i)",
            "RuntimeError: Expected object of device type cuda but got device type cpu for argument #3 'index' in call to _th_index_select",
            "i",
        ),
        (
            "h = x.masked_fill(mask, 0)",
            "RuntimeError: expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
            "mask",
        ),
        ("z = torch.bmm(a, b)", "RuntimeError: expected scalar type Double but found Float", "a"),
        ("z = torch.bmm(a, b)", "RuntimeError: expected scalar type Float but found Double", "b"),
        (
            "plt.plot(losses.numpy())",
            "TypeError: can't convert CUDA tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
            "losses",
        ),
        (
            "if mask.all() and scores[idx] > 1:",
            "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)",
            "scores",
        ),
        (
            "packed = pack_padded_sequence(x, n, batch_first=True)",
            "RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
            "n",
        ),
        (
            "loss = F.cross_entropy(out, y, weight=w)",
            "RuntimeError: expected scalar type Long but found Float",
            "y",
        ),
        (
            "x = torch.cat([a, *more])",
            "RuntimeError: Expected all tensors to be on the same device, but got tensors is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_cat)",
            "[a, *more]",
        ),
    ],
)
def test_a_line_without_carets(line: str, message: str, text: str) -> None:
    assert [culprit.text for culprit in blamed(plain(message, ("f.py", 3, "f", line))).culprits] == [text]


def test_a_line_that_is_only_the_beginning_of_a_call() -> None:
    found = blamed(
        plain(
            OLD.format("cuda:0", "cpu", "target", "CUDA_nll_loss_forward"),
            ("f.py", 3, "f", "loss = F.cross_entropy(out.view(-1, n), target.view("),
        )
    )
    assert [culprit.text for culprit in found.culprits] == ["target.view()"]


def test_a_line_with_two_candidates_accuses_nobody() -> None:
    found = blamed(
        plain(OLD.format("cuda:0", "cpu", "mat2", "mm"), ("f.py", 3, "f", "y = (a @ b) + (c @ d)"))
    )
    assert found.culprits == ()
    assert found.suspicion.roles


def test_two_gpus_are_told_apart_from_a_forgotten_move() -> None:
    told = explained(plain(OLD.format("cuda:0", "cuda:1", "mat2", "CUDA_mm"), ("f.py", 3, "f", "y = a @ b")))
    assert "several GPUs" in told.todo
    assert told.rules == ("device-scattered",)


def test_the_candidates_are_named_when_the_text_names_none() -> None:
    told = explained(
        plain(
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
            ("f.py", 3, "f", "return h * self.scale"),
        )
    )
    assert told.who == (
        "PyTorch does not say which operand is meant. These meet here: `h` and `self.scale`.",
    )


def test_a_factory_call_without_device_gives_itself_away() -> None:
    told = explained(
        plain(
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
            ("f.py", 3, "f", "return h + torch.zeros(3)"),
        )
    )
    assert told.who[0].startswith("`torch.zeros(3)`, the second operand, is on the CPU")


def test_several_lengths_are_on_a_device() -> None:
    told = explained(
        "RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"
    )
    assert told.who[0].startswith("The lengths are on cuda:0")


def test_the_tensor_of_a_collective_is_no_second_operand() -> None:
    told = explained("RuntimeError: Tensors must be CUDA and dense")
    assert told.who[0].startswith("The operand `tensor` is on the CPU")


def test_a_text_without_a_file_is_said_to_have_none() -> None:
    message = "RuntimeError: Found dtype Double but expected Float"
    assert "names no file of yours" in explained(message).repair.reason
    assert "are not here" in explained(plain(message, ("gone.py", 3, "f", "loss.backward()"))).repair.reason


def test_a_file_without_torch_is_not_the_whole_program(tmp_path: Path) -> None:
    write(tmp_path, scaler="def scaled(x, mean):\n    return x - mean\n")
    message = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    inner = ("scaler.py", 2, "scaled", "return x - mean")
    alone = explained(plain(message, inner), tmp_path).repair.reason
    assert alone.startswith("neither ")
    assert alone.endswith("scaler.py nor the files that it belongs with import torch")
    called = explained(plain(message, ("train.py", 9, "<module>", "scaled(x, mean)"), inner), tmp_path)
    assert "and train.py, which leads to it, is not here (--source FOLDER says where it is)" in (
        called.repair.reason
    )


def test_a_line_that_is_not_underlined_is_not_the_loop_around_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        train="""\
            def train(model, batches, loss_of):
                for x, y in batches:
                    loss = loss_of(model(x), y)
                    loss.backward()
        """,
    )
    text = f"""\
Traceback (most recent call last):
  File "train.py", line 3, in train
    loss = loss_of(model(x), y)
  File "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1511, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 116, in forward
    return F.linear(input, self.weight, self.bias)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
{NAMED.format("mat1", "cpu", "cuda:0", "addmm")}
"""
    told = explained(text, tmp_path).blame
    assert told.span is not None
    assert told.span.line == 3
    assert [culprit.text for culprit in told.culprits] == ["x"]
