"""The simulated accelerator has kernels for halves where CUDA has them, and says what CUDA says where it has none."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest
import torch

from devfix.simulator import simulated_accelerator


@pytest.fixture(autouse=True)
def _machine() -> Iterator[None]:
    with simulated_accelerator(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _drawn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.rand(shape, generator=generator).half().cuda()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fft", {}),
        ("fft", {"dim": 0}),
        ("fft", {"n": 16}),
        ("rfft", {}),
        ("ihfft", {}),
        ("hfft", {"n": 16}),
        ("irfft", {"n": 8}),
        ("fft2", {}),
        ("rfft2", {"s": (4, 16)}),
        ("fftn", {"s": (8,)}),
        ("ifftn", {"dim": (1,)}),
    ],
)
def test_transforms_of_halves_give_halves(name: str, options: dict[str, int]) -> None:
    x = _drawn(4, 8)
    found, wide = getattr(torch.fft, name)(x, **options), getattr(torch.fft, name)(x.float(), **options)
    narrow = {torch.float32: torch.float16, torch.complex64: torch.complex32}[wide.dtype]
    assert (found.dtype, found.shape, found.device.type) == (narrow, wide.shape, "cuda")
    assert torch.allclose(found.to(wide.dtype), wide, atol=0.05, rtol=0.01)


@pytest.mark.parametrize(
    ("name", "shape", "options", "lengths"),
    [
        ("fft", (4, 6), {}, "[6]"),
        ("rfft", (6, 4), {"dim": 0}, "[6]"),
        ("irfft", (4, 6), {}, "[10]"),
        ("hfft", (4, 8), {}, "[14]"),
        ("fft2", (4, 6), {}, "[4, 6]"),
        ("rfftn", (4, 8), {"s": (8, 3)}, "[8, 3]"),
    ],
)
def test_lengths_of_halves_are_powers_of_two(
    name: str, shape: tuple[int, ...], options: dict[str, int], lengths: str
) -> None:
    with pytest.raises(RuntimeError, match="powers of two when computing in half precision") as raised:
        getattr(torch.fft, name)(_drawn(*shape), **options)
    assert str(raised.value).endswith(f"signal size of{lengths}")


def test_a_transform_of_halves_that_is_undone_gives_them_back() -> None:
    x = _drawn(4, 8)
    assert torch.allclose(torch.fft.irfft(torch.fft.rfft(x)).float(), x.float(), atol=0.01)


def test_windows_of_halves_are_transformed() -> None:
    x, window = _drawn(32), torch.ones(8, device="cuda").half()
    assert torch.stft(x, 8, window=window, return_complex=True).dtype == torch.complex32
    with pytest.raises(RuntimeError, match="powers of two"):
        torch.stft(x, 6, window=window[:6], return_complex=True)
    with pytest.raises(RuntimeError, match="cuFFT doesn't support tensor of type: BFloat16"):
        torch.stft(x.bfloat16(), 8, window=window.bfloat16(), return_complex=True)


def test_brain_floats_and_the_host_have_no_transforms() -> None:
    with pytest.raises(RuntimeError, match="Unsupported dtype BFloat16"):
        torch.fft.rfft(_drawn(8).bfloat16())
    with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
        torch.fft.rfft(_drawn(8).cpu())


def test_what_an_operator_takes_along_a_transform_has_gradients() -> None:
    x = _drawn(2, 8).requires_grad_()
    torch.fft.rfft(x).abs().float().sum().backward()
    assert x.grad is not None
    assert (x.grad.dtype, x.grad.device.type) == (torch.float16, "cuda")


@pytest.mark.parametrize(
    "use",
    [
        lambda x: torch.histc(x, 4, 0, 1),
        lambda x: torch.polar(x, x),
        torch.special.bessel_j0,
        lambda x: torch.special.chebyshev_polynomial_t(x, 2),
        lambda x: torch.special.zeta(x, x),
        lambda x: torch.linalg.solve_triangular(x, x, upper=True),
        torch.nn.functional.pdist,
    ],
)
def test_there_are_operators_without_halves(use: object) -> None:
    assert callable(use)
    with pytest.raises(RuntimeError, match=r"not implemented for 'Half'|HalfTensor is not supported"):
        use(_drawn(4, 4))


def test_other_operators_have_halves_that_the_host_lacks() -> None:
    x = _drawn(4, 4)
    assert torch.special.entr(x).dtype == torch.float16
    assert torch.histc(x.cpu(), 4, 0, 1).dtype == torch.float16


def test_matrices_are_decomposed_by_a_library() -> None:
    x = _drawn(4, 4)
    with pytest.raises(NotImplementedError, match="\"cholesky_cusolver\" not implemented for 'Half'"):
        torch.linalg.cholesky(x)
    with pytest.raises(NotImplementedError, match="\"lu_factor_cusolver\" not implemented for 'BFloat16'"):
        torch.linalg.solve(x.bfloat16(), x.bfloat16())
    with pytest.raises(NotImplementedError, match=r'"linalg\.lu_solve_cpu" not implemented'):
        torch.linalg.lu_solve(x.cpu(), torch.arange(1, 5, dtype=torch.int32), x.cpu())


@pytest.mark.parametrize(
    "use",
    [
        torch.sparse.mm,
        lambda matrix, x: matrix @ x,
        lambda matrix, x: matrix @ x[0],
        lambda matrix, x: torch.sparse.addmm(x, matrix, x),
        lambda matrix, x: torch.addmm(x, matrix, x),
    ],
)
def test_sparse_matrices_of_halves_are_not_multiplied(use: Callable[..., torch.Tensor]) -> None:
    x = _drawn(4, 4)
    with pytest.raises(NotImplementedError, match="\"addmm_sparse_cuda\" not implemented for 'Half'"):
        use(x.to_sparse(), x)
    assert use(x.to_sparse_csr(), x).dtype == torch.float16
    assert use((x * 0).to_sparse(), x).dtype == torch.float16  # nothing is multiplied
    with pytest.raises(NotImplementedError, match="\"addmm_sparse_cuda\" not implemented for 'Long'"):
        use(torch.ones_like(x, dtype=torch.int64).to_sparse(), x.long())
    assert use(x.float().to_sparse(), x.float()).dtype == torch.float32
    assert use(x.cpu().to_sparse(), x.cpu()).dtype == torch.float16


def test_autocast_widens_what_kernels_add_up() -> None:
    x = _drawn(4, 4)
    counts = torch.eye(4, dtype=torch.int64, device="cuda")
    with torch.autocast("cuda"):
        assert [each.trace().dtype for each in (x, x.double(), counts)] == [
            torch.float32,
            torch.float64,
            torch.int64,
        ]
        with pytest.raises(RuntimeError, match="Found dtype Float but expected Half"):
            torch.distributions.Dirichlet(x + 1).sample()
        assert torch.distributions.Dirichlet(x.float() + 1).sample().dtype == torch.float32
    assert torch.distributions.Dirichlet(x + 1).sample().dtype == torch.float16
    assert x.trace().dtype == torch.float16


def test_what_autocast_adds_up_has_the_gradient_of_what_it_was_given() -> None:
    x = _drawn(4, 4).requires_grad_()
    with torch.autocast("cuda"):
        [found] = torch.autograd.grad(x.trace(), x)
    assert (found.dtype, found.sum().item()) == (torch.float16, 4)


def test_two_sparse_matrices_of_halves_are_multiplied() -> None:
    x = _drawn(4, 4).to_sparse()
    assert (x @ x).dtype == torch.sparse.mm(x, x).dtype == torch.float16
