"""What autocast casts, and what loss scaling and custom functions make of it."""

from __future__ import annotations

from typing import Any

import torch
from recorded.questions import Questions
from torch import nn
from torch.nn import functional

QUESTIONS = Questions()
F = functional


def under_autocast(**options: Any) -> Any:
    """A function that calls others under autocast."""

    def call(function: Any) -> Any:
        with torch.autocast("cuda", **options):
            return function()

    return call


auto = under_autocast()
brain = under_autocast(dtype=torch.bfloat16)


class Doubled(torch.autograd.Function):
    """A function that computes in float32."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        """Twice the value."""
        ctx.seen = (value.dtype, torch.is_autocast_enabled("cuda"))
        return value * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(_ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Twice the gradient."""
        return gradient * 2


def trained(scale: float, target: float = 1.0) -> Any:
    """What a scaler went through in two steps of training, the second one with a scale that overflows."""
    torch.manual_seed(0)
    model = nn.Linear(4, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=scale)
    moved = []
    for _ in range(2):
        before = model.weight.detach().clone()
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = F.mse_loss(
                model(torch.ones(2, 4, device="cuda")), torch.full((2, 3), target, device="cuda")
            )
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        moved.append(not torch.equal(before, model.weight))
    return loss.dtype, model.weight.grad.dtype, moved, scaler.get_scale() / scale


def nested() -> Any:
    """A weight that was cast to one precision, used in another."""
    layer = nn.Linear(2, 2).cuda()
    x = torch.ones(1, 2, device="cuda")
    with torch.autocast("cuda"):
        layer(x)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return layer(x).dtype


QUESTIONS.lines(
    {
        "torch": torch,
        "nn": nn,
        "F": F,
        "auto": lambda: auto,
        "brain": lambda: brain,
        "Doubled": Doubled,
        "Trained": trained,
        "Nested": nested,
        "g": lambda: torch.full((2, 2), 0.5, device="cuda"),
        "h": lambda: torch.full((2, 2), 0.5, device="cuda").half(),
        "d": lambda: torch.full((2, 2), 0.5, device="cuda").double(),
        "c": lambda: torch.full((2, 2), 0.5),
        "i": lambda: torch.tensor([0, 1], device="cuda"),
        "image": lambda: torch.ones(1, 2, 4, 4, device="cuda"),
        "Linear": lambda: nn.Linear(2, 2).cuda(),
    },
    """
    auto(lambda: (g @ g).dtype)
    auto(lambda: (h @ g).dtype)
    auto(lambda: (d @ d).dtype)
    auto(lambda: g @ d)
    auto(lambda: (c @ c).dtype)
    auto(lambda: g @ c)
    auto(lambda: F.linear(g, c))
    auto(lambda: F.linear(g, g, c[0]))
    auto(lambda: F.linear(d, g))
    auto(lambda: nn.Linear(2, 2).cuda()(d))
    auto(lambda: nn.Linear(2, 2).cuda()(c))
    auto(lambda: nn.Linear(2, 2)(c).dtype)
    auto(lambda: nn.Linear(2, 2)(g))
    auto(lambda: nn.Linear(2, 2).cuda().half()(g).dtype)
    auto(lambda: nn.Linear(2, 2).cuda().bfloat16()(g).dtype)
    auto(lambda: nn.Linear(2, 2).cuda()(i.reshape(1, 2)))
    brain(lambda: (g @ g).dtype)
    brain(lambda: (h @ g).dtype)
    auto(lambda: torch.mm(g, g).dtype), auto(lambda: torch.bmm(g[None], h[None]).dtype), auto(lambda: torch.mv(g, h[0]).dtype)
    auto(lambda: torch.addmm(g, h, g).dtype), auto(lambda: torch.baddbmm(g[None], g[None], g[None]).dtype)
    auto(lambda: torch.einsum("ij,jk->ik", g, h).dtype)
    auto(lambda: g.matmul(h[0]).dtype), auto(lambda: torch.dot(g[0], h[0]).dtype), auto(lambda: torch.outer(g[0], h[0]).dtype)
    auto(lambda: nn.Conv2d(2, 3, 3).cuda()(image).dtype)
    auto(lambda: nn.Conv2d(2, 3, 3).cuda()(image.double()))
    auto(lambda: nn.Conv2d(2, 3, 3)(image))
    auto(lambda: nn.Conv1d(2, 3, 1).cuda()(g[None]).dtype), auto(lambda: nn.ConvTranspose2d(2, 3, 2).cuda()(image).dtype)
    auto(lambda: nn.PReLU().cuda()(g).dtype)
    auto(lambda: F.relu(h).dtype), auto(lambda: F.gelu(h).dtype), auto(lambda: F.silu(h).dtype), auto(lambda: torch.tanh(h).dtype)
    auto(lambda: h.exp().dtype), auto(lambda: h.log().dtype), auto(lambda: h.sqrt().dtype), auto(lambda: h.rsqrt().dtype), auto(lambda: h.reciprocal().dtype)
    auto(lambda: (h ** 2).dtype), auto(lambda: (2 ** h).dtype), auto(lambda: (h ** h).dtype), auto(lambda: torch.sigmoid(h).dtype)
    auto(lambda: h.sum().dtype), auto(lambda: h.sum(0).dtype), auto(lambda: h.mean().dtype), auto(lambda: h.prod().dtype), auto(lambda: h.cumsum(0).dtype)
    auto(lambda: h.sum(dtype=torch.float16).dtype), auto(lambda: torch.sum(h, 0, dtype=torch.float16).dtype)
    auto(lambda: h.norm().dtype), auto(lambda: h.norm(dim=1).dtype), auto(lambda: torch.linalg.vector_norm(h).dtype), auto(lambda: torch.linalg.norm(h).dtype)
    auto(lambda: h.std().dtype), auto(lambda: h.var(0).dtype), auto(lambda: h.logsumexp(0).dtype), auto(lambda: h.max().dtype)
    auto(lambda: F.softmax(h, 1).dtype), auto(lambda: F.log_softmax(h, 1).dtype), auto(lambda: h.softmax(1).dtype), auto(lambda: F.softmax(h, 1, dtype=torch.float16).dtype)
    auto(lambda: F.layer_norm(h, (2,)).dtype), auto(lambda: nn.LayerNorm(2).cuda()(h).dtype), auto(lambda: nn.GroupNorm(1, 2).cuda()(image.half()).dtype)
    auto(lambda: nn.BatchNorm1d(2).cuda()(h).dtype), auto(lambda: nn.BatchNorm2d(2).cuda()(image).dtype)
    auto(lambda: F.mse_loss(h, g).dtype), auto(lambda: F.l1_loss(h, h).dtype), auto(lambda: F.smooth_l1_loss(h, g).dtype), auto(lambda: F.huber_loss(h, g).dtype)
    auto(lambda: F.cross_entropy(h, i).dtype), auto(lambda: F.nll_loss(h, i).dtype), auto(lambda: F.kl_div(h, h).dtype)
    auto(lambda: F.cross_entropy(h, i.cpu()))
    auto(lambda: F.binary_cross_entropy(torch.sigmoid(h), g))
    auto(lambda: F.binary_cross_entropy(c, c).dtype)
    auto(lambda: F.binary_cross_entropy_with_logits(h, g).dtype)
    auto(lambda: F.cosine_similarity(h, g).dtype), auto(lambda: F.cosine_embedding_loss(h, h, i).dtype), auto(lambda: torch.dist(h, h).dtype)
    auto(lambda: F.pairwise_distance(h, h).dtype), auto(lambda: torch.cdist(h, h).dtype), auto(lambda: F.triplet_margin_loss(h, h, h).dtype)
    auto(lambda: (h + g).dtype), auto(lambda: (h * h).dtype), auto(lambda: torch.cat([h, g]).dtype), auto(lambda: torch.stack([h, g]).dtype)
    auto(lambda: torch.addcmul(h, g, h).dtype), auto(lambda: torch.addcdiv(h, h, h).dtype), auto(lambda: torch.atan2(h, g).dtype), auto(lambda: torch.cross(torch.ones(3, device="cuda"), torch.ones(3, device="cuda").half()).dtype)
    auto(lambda: nn.Bilinear(2, 2, 2).cuda()(h, g).dtype), auto(lambda: F.grid_sample(image.half(), torch.zeros(1, 2, 2, 2, device="cuda")).dtype)
    auto(lambda: g.index_put((i,), h).dtype)
    auto(lambda: torch.zeros(2, 2, device="cuda").scatter_add(0, torch.zeros(2, 2, dtype=torch.long, device="cuda"), h).dtype)
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.index_put_((i,), h).dtype)
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.__setitem__(i, h @ h))
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.index_add_(0, i, h @ h).dtype)
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.scatter_add_(0, torch.zeros(2, 2, dtype=torch.long, device="cuda"), h @ h).dtype)
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.add_(h @ h).dtype)
    x = torch.zeros(2, 2, device="cuda"); auto(lambda: x.copy_(h @ h).dtype)
    auto(lambda: torch.mm(g, g, out=torch.empty(2, 2, device="cuda")).dtype)
    auto(lambda: torch.mm(h, g, out=torch.empty(2, 2, device="cuda")).dtype)
    auto(lambda: F.interpolate(image.half(), scale_factor=2.0).dtype), auto(lambda: F.interpolate(image.half(), scale_factor=2.0, mode="bilinear").dtype)
    auto(lambda: F.avg_pool2d(image.half(), 2).dtype), auto(lambda: F.max_pool2d(image, 2).dtype), auto(lambda: F.adaptive_avg_pool2d(image, 1).dtype), auto(lambda: F.dropout(h).dtype)
    auto(lambda: nn.Embedding(2, 2).cuda()(i).dtype), auto(lambda: F.one_hot(i).dtype), auto(lambda: nn.Linear(2, 2).cuda()(nn.Embedding(2, 2).cuda()(i)).dtype)
    auto(lambda: [t.dtype for t in (nn.LSTM(2, 3).cuda()(g[None])[0], *nn.LSTM(2, 3).cuda()(g[None])[1])])
    auto(lambda: [t.dtype for t in nn.GRU(2, 3).cuda()(g[None])]), auto(lambda: [t.dtype for t in nn.RNN(2, 3).cuda()(g[None])])
    auto(lambda: [t.dtype for t in nn.LSTMCell(2, 3).cuda()(g)]), auto(lambda: nn.GRUCell(2, 3).cuda()(g).dtype), auto(lambda: nn.RNNCell(2, 3).cuda()(g).dtype)
    auto(lambda: nn.LSTM(2, 3).cuda()(g[None].double()))
    auto(lambda: nn.MultiheadAttention(2, 1).cuda()(g[None], g[None], g[None])[0].dtype)
    auto(lambda: F.scaled_dot_product_attention(image, image, image).dtype)
    auto(lambda: F.scaled_dot_product_attention(image, image, image, attn_mask=torch.zeros(4, 4, device="cuda")).dtype)
    auto(lambda: nn.TransformerEncoderLayer(2, 1, 4).cuda()(g[None]).dtype)
    auto(lambda: nn.TransformerEncoderLayer(2, 1, 4, batch_first=True).cuda().eval()(g[None]).dtype)
    auto(lambda: torch.no_grad()(lambda: nn.Linear(2, 2).cuda()(g).dtype)()), auto(lambda: torch.inference_mode()(lambda: nn.Linear(2, 2).cuda()(g).dtype)())
    auto(lambda: torch.fft.fft(g).dtype), auto(lambda: torch.linalg.inv(torch.eye(2, device="cuda")).dtype)
    auto(lambda: torch.linalg.inv(torch.eye(2, device="cuda") @ torch.eye(2, device="cuda")))
    auto(lambda: torch.where(h > 0, h, g).dtype), auto(lambda: torch.lerp(g, h, 0.5).dtype)
    auto(lambda: torch.clamp(h, 0, 1).dtype), auto(lambda: torch.maximum(h, g).dtype), auto(lambda: F.softplus(h).dtype), auto(lambda: F.logsigmoid(h).dtype)
    auto(lambda: (torch.is_autocast_enabled("cuda"), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cuda")))
    auto(lambda: (torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype()))
    brain(lambda: torch.get_autocast_dtype("cuda"))
    auto(lambda: torch.autocast("cuda", enabled=False)(lambda: (g @ g).dtype)())
    torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    torch.autocast("cpu")(lambda: (g @ g).dtype)()
    torch.autocast("cpu")(lambda: (c @ c).dtype)()
    auto(lambda: torch.autocast("cpu")(lambda: ((g @ g).dtype, (c @ c).dtype))())
    torch.autocast("cuda", dtype=torch.float32)(lambda: (g @ g).dtype)()
    torch.autocast("cuda", dtype=torch.float64)(lambda: (g @ g).dtype)()
    torch.autocast("gpu")
    torch.autocast(torch.device("cuda"))
    torch.cuda.amp.autocast()(lambda: (g @ g).dtype)()
    torch.cuda.amp.autocast(False)(lambda: (g @ g).dtype)()
    torch.amp.autocast_mode.is_autocast_available("cuda")
    l = Linear(); y = auto(lambda: l(g)); y.sum().backward(); y.dtype, l.weight.grad.dtype, l.weight.grad.device
    l = Linear(); y = auto(lambda: l(g) + l(g)); y.sum().backward(); l.weight.grad.dtype
    l = Linear(); x = g.requires_grad_(); auto(lambda: l(x)).sum().backward(); x.grad.dtype
    x = h.requires_grad_(); auto(lambda: (x @ g)).sum().backward(); x.grad.dtype
    l = Linear(); auto(lambda: F.mse_loss(l(g), d)).backward()
    l = Linear(); auto(lambda: F.mse_loss(l(g), g)).backward(); l.weight.grad.dtype
    Nested()
    Doubled.apply(h).dtype
    auto(lambda: Doubled.apply(h).dtype)
    x = h.requires_grad_(); auto(lambda: Doubled.apply(x)).sum().backward(); x.grad.dtype
    auto(lambda: Doubled.apply(d).dtype), auto(lambda: Doubled.apply(c.half()).dtype)
    Trained(1024.0)
    Trained(2.0**40)
    Trained(1.0, 1e4)
    torch.amp.GradScaler("cuda").is_enabled(), torch.amp.GradScaler("cpu").is_enabled(), torch.cuda.amp.GradScaler().is_enabled(), torch.amp.GradScaler("cuda", enabled=False).get_scale()
    torch.amp.GradScaler("cuda").scale(g).device, torch.amp.GradScaler("cuda").scale([g, h])[1].dtype
    torch.amp.GradScaler("cuda").scale(c)
    torch.amp.GradScaler("cuda").state_dict()
    s = torch.amp.GradScaler("cuda"); o = torch.optim.SGD(Linear().parameters(), 0.1); s.step(o)
    s = torch.amp.GradScaler("cuda"); s.update()
    s = torch.amp.GradScaler("cuda"); o = torch.optim.SGD(Linear().parameters(), 0.1); s.scale(g); s.unscale_(o); s.unscale_(o)
    l = Linear().half(); s = torch.amp.GradScaler("cuda"); o = torch.optim.SGD(l.parameters(), 0.1); s.scale(l(h).sum()).backward(); s.unscale_(o)
    l = Linear(); s = torch.amp.GradScaler("cuda"); o = torch.optim.AdamW(l.parameters(), fused=True); s.scale(auto(lambda: l(g)).float().sum()).backward(); s.step(o); s.update(); s.get_scale()
    """,
)
