"""Floats of 16 bits: which operations refuse float16 or bfloat16, and which of them autocast widens.

Each line is asked for a matrix of float16 (``h``) and of bfloat16 (``w``), and for what autocast makes of float32 (``g``) in each
of them. The answer is the dtype of what comes of it.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from recorded.autocast_questions import auto, brain
from recorded.questions import Questions
from torch import nn
from torch.nn import functional

QUESTIONS = Questions()


def _matrix(dtype: torch.dtype) -> Any:
    return lambda: torch.eye(4, dtype=dtype, device="cuda").mul(2)


def kind(result: Any) -> Any:
    """The dtype of a result, or of the first of several."""
    return result.dtype if isinstance(result, torch.Tensor) else kind(result[0])


NAMES: dict[str, Any] = {
    "torch": torch,
    "nn": nn,
    "F": functional,
    "auto": lambda: auto,
    "brain": lambda: brain,
    "kind": lambda: kind,
    "h": _matrix(torch.float16),
    "w": _matrix(torch.bfloat16),
    "g": _matrix(torch.float32),
    "i": lambda: torch.arange(4, device="cuda", dtype=torch.int32) + 1,
}

#: What is asked: ``x`` is the matrix, whose length is a power of two.
_ASKED = """
torch.linalg.inv(x)
torch.linalg.inv_ex(x)
torch.linalg.pinv(x)
torch.linalg.det(x)
torch.linalg.slogdet(x)
torch.linalg.cholesky(x)
torch.linalg.cholesky_ex(x)
torch.linalg.eig(x)
torch.linalg.eigvals(x)
torch.linalg.eigh(x)
torch.linalg.eigvalsh(x)
torch.linalg.svd(x)
torch.linalg.svdvals(x)
torch.linalg.qr(x)
torch.linalg.lu(x)
torch.linalg.lu_factor(x)
torch.linalg.lu_factor_ex(x)
torch.linalg.lu_solve(x, i, x)
torch.linalg.ldl_factor(x)
torch.linalg.ldl_factor_ex(x)
torch.linalg.ldl_solve(x, i, x)
torch.linalg.solve(x, x)
torch.linalg.solve_ex(x, x)
torch.linalg.solve_triangular(x, x, upper=True)
torch.linalg.lstsq(x, x)
torch.linalg.cond(x)
torch.linalg.matrix_rank(x)
torch.linalg.matrix_power(x, 2)
torch.linalg.matrix_power(x, -1)
torch.linalg.matrix_exp(x)
torch.linalg.matrix_norm(x)
torch.linalg.matrix_norm(x, ord=2)
torch.linalg.matrix_norm(x, ord="nuc")
torch.linalg.norm(x)
torch.linalg.norm(x, 2)
torch.linalg.vector_norm(x)
torch.linalg.multi_dot([x, x])
torch.linalg.cross(x[:, :3], x[:, :3])
torch.linalg.vander(x[0])
torch.linalg.tensorinv(x, ind=1)
torch.linalg.tensorsolve(x, x[0])
torch.linalg.householder_product(x, x[0])
torch.linalg.diagonal(x)
torch.inverse(x)
torch.pinverse(x)
torch.logdet(x)
torch.cholesky_inverse(x)
torch.cholesky_solve(x, x)
torch.geqrf(x)
torch.ormqr(x, x[0], x)
torch.triangular_solve(x, x)
torch.lu_solve(x, x, i)
torch.svd_lowrank(x, q=2)
torch.pca_lowrank(x, q=2)
torch.norm(x, "nuc")
torch.trace(x)
torch.quantile(x, 0.5)
torch.nanquantile(x, 0.5)
torch.histc(x, 4, 0, 1)
torch.polar(x, x)
torch.complex(x, x)
torch.view_as_complex(x[:, :2].contiguous())
torch.cdist(x, x)
torch.cdist(x, x, p=1.0)
F.pdist(x)
torch.corrcoef(x)
torch.cov(x)
torch.fft.fft(x)
torch.fft.fft2(x)
torch.fft.fftn(x)
torch.fft.ifft(x)
torch.fft.rfft(x)
torch.fft.rfft2(x)
torch.fft.rfftn(x)
torch.fft.ihfft(x)
torch.fft.irfft(x, n=4)
torch.fft.hfft(x, n=4)
torch.fft.rfft(x[:, :3])
torch.fft.fft(x[:, :3])
torch.fft.ifft2(x)
torch.fft.ifftn(x)
torch.fft.ihfft2(x)
torch.fft.ihfftn(x)
torch.fft.irfft2(x, s=(4, 4))
torch.fft.irfftn(x, s=(4, 4))
torch.fft.hfft2(x, s=(4, 4))
torch.fft.hfftn(x, s=(4, 4))
torch.fft.fftshift(x)
torch.stft(x.flatten(), 4, window=torch.ones(4, dtype=x.dtype, device="cuda"), return_complex=True)
torch.stft(x.flatten(), 6, window=torch.ones(6, dtype=x.dtype, device="cuda"), return_complex=True)
torch.igamma(x, x)
torch.igammac(x, x)
torch.angle(x)
torch.lgamma(x)
torch.digamma(x)
torch.erfinv(x)
torch.i0(x)
torch.special.i1(x)
torch.special.erfcx(x)
torch.special.ndtri(x)
torch.special.log_ndtr(x)
torch.special.zeta(x, x)
torch.special.airy_ai(x)
torch.special.bessel_j0(x)
torch.special.bessel_j1(x)
torch.special.bessel_y0(x)
torch.special.bessel_y1(x)
torch.special.modified_bessel_i0(x)
torch.special.modified_bessel_i1(x)
torch.special.modified_bessel_k1(x)
torch.special.scaled_modified_bessel_k0(x)
torch.special.scaled_modified_bessel_k1(x)
torch.special.modified_bessel_k0(x)
torch.special.spherical_bessel_j0(x)
torch.special.chebyshev_polynomial_t(x, 2)
torch.special.entr(x)
torch.special.logit(x, 0.1)
F.ctc_loss(x[:, None], torch.ones(1, 2, dtype=torch.long, device="cuda"), (4,), (2,))
F.bilinear(x, x, x[None])
F.grid_sample(x[None, None], x[None, :, :2].reshape(1, 4, 1, 2), align_corners=False)
F.unfold(x[None, None], 2)
F.fractional_max_pool2d(x[None, None], 2, output_size=2)
F.max_unpool1d(*F.max_pool1d(x[None], 2, return_indices=True), 2)
torch.sort(x)
torch.topk(x, 2)
torch.kthvalue(x, 2)
torch.mode(x)
torch.median(x)
torch.unique(x)
torch.cumprod(x, 0)
torch.logcumsumexp(x, 0)
torch.cummax(x, 0)
torch.renorm(x, 2, 0, 1.0)
torch.searchsorted(x[0].sort().values, x)
torch.bucketize(x, x[0].sort().values)
torch.multinomial(x, 1)
torch.bernoulli(x / 4)
torch.poisson(x)
torch.distributions.Beta(x + 1, x + 1).sample()
torch.distributions.Gamma(x + 1, x + 1).sample()
torch.distributions.Dirichlet(x + 1).sample()
torch.distributions.MultivariateNormal(x[0], x).sample()
x.to_sparse()
torch.sparse.mm(x.to_sparse(), x)
torch.sparse.mm(x.to_sparse_csr(), x)
torch.block_diag(x, x)
torch.trapezoid(x)
torch.bincount(i, weights=x[0])
torch.nn.init.orthogonal_(x)
"""

for _line in _ASKED.strip().splitlines():
    for _letter in "hw":
        _of_letter = re.sub(r"\bx\b", _letter, _line)
        QUESTIONS.lines(NAMES, f"kind({_of_letter})")
    for _context in ("auto", "brain"):
        _of_layer = re.sub(r"\bx\b", "(g @ g)", _line)
        QUESTIONS.lines(NAMES, f"{_context}(lambda: kind({_of_layer}))")
