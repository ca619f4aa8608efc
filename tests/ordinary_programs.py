"""Ordinary programs, tiny: each trains something on a device and gives back what it trained."""

from __future__ import annotations

import copy
import io
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler, random_split

F = functional
Program = Callable[[str], nn.Module]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def numbers(name: str, device: str) -> list[Tensor]:
    """Parameters and buffers that a seeded run ends with."""
    torch.manual_seed(0)
    random.seed(0)
    trained = PROGRAMS[name](device)
    return [t.detach().cpu().to_dense().clone() for t in (*trained.parameters(), *trained.buffers())]


def step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class Block(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int = 1) -> None:
        super().__init__()
        self.one = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.norm_one = nn.BatchNorm2d(outside)
        self.two = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm_two = nn.BatchNorm2d(outside)
        self.around: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.around = nn.Sequential(nn.Conv2d(inside, outside, 1, stride), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norm_one(self.one(x)))
        return F.relu(self.norm_two(self.two(y)) + self.around(x))


@program
def residual_network(device: str) -> nn.Module:
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(16, 5)]
    stem = [nn.Conv2d(3, 8, 3, 1, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*stem, Block(8, 8), Block(8, 16, 2), *head).to(device)
    data = TensorDataset(torch.randn(24, 3, 16, 16), torch.randint(0, 5, (24,)))
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for _ in range(2):
        model.train()
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            optimizer.zero_grad()
            criterion(model(x.to(device, non_blocking=True)), y.to(device)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        schedule.step()
        model.eval()
        with torch.no_grad():
            [model(x.to(device)).argmax(1).eq(y.to(device)).sum().item() for x, y in DataLoader(data, 8)]
    return model


@program
def long_short_term_memory(device: str) -> nn.Module:
    parts = {"embed": nn.Embedding(20, 8, padding_idx=0), "out": nn.Linear(24, 20)}
    parts["rnn"] = nn.LSTM(8, 12, 2, batch_first=True, bidirectional=True, dropout=0.3)
    model = nn.ModuleDict(parts).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(4):
        x, lengths = torch.randint(1, 20, (6, 7)).to(device), torch.tensor([7, 6, 5, 7, 3, 2])
        packed = nn.utils.rnn.pack_padded_sequence(
            model["embed"](x), lengths, batch_first=True, enforce_sorted=False
        )
        y, _ = nn.utils.rnn.pad_packed_sequence(model["rnn"](packed)[0], batch_first=True)
        step(optimizer, F.cross_entropy(model["out"](y).reshape(-1, 20), x.reshape(-1), ignore_index=0))
    return model


@program
def gated_recurrent_units(device: str) -> nn.Module:
    model = nn.ModuleList([nn.GRU(5, 9), nn.Linear(9, 5), nn.LSTMCell(5, 5)]).to(device)
    optimizer, hidden = torch.optim.RMSprop(model.parameters(), 1e-2), None
    for _ in range(4):
        x = torch.randn(6, 3, 5).to(device)
        y, hidden = model[0](x, hidden)
        hidden = hidden.detach()
        step(optimizer, (model[1](y) - x).abs().mean() + model[2](x[0])[0].pow(2).mean())
    return model


@program
def transformer_encoder(device: str) -> nn.Module:
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)
    parts = {"embed": nn.Embedding(30, 16), "out": nn.Linear(16, 30)}
    parts["encoder"] = nn.TransformerEncoder(layer, 2)
    model = nn.ModuleDict(parts).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=4)

    def forward(x: Tensor) -> Tensor:
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).triu(1)
        hidden = model["encoder"](model["embed"](x), mask=mask, src_key_padding_mask=x == 0)
        return model["out"](hidden)  # type: ignore[no-any-return]

    for _ in range(3):
        model.train()
        x = torch.randint(0, 30, (4, 9)).to(device)
        step(optimizer, F.cross_entropy(forward(x).transpose(1, 2), x))
        schedule.step()
        # Evaluation takes another way through the layer.
        model.eval()
        with torch.no_grad():
            model["out"].bias.add_(forward(x).mean())
    return model


@program
def sequence_to_sequence(device: str) -> nn.Module:
    model = nn.Transformer(16, 2, 1, 1, 32, batch_first=True).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, betas=(0.9, 0.98), eps=1e-9)
    for _ in range(3):
        source, target = torch.randn(2, 5, 16).to(device), torch.randn(2, 4, 16).to(device)
        mask = model.generate_square_subsequent_mask(4).to(device)
        step(optimizer, model(source, target, tgt_mask=mask).pow(2).mean())
    model.eval()
    with torch.inference_mode():
        model.encoder(source)
    return model


@program
def adversarial_networks(device: str) -> nn.Module:
    up = [nn.ConvTranspose2d(8, 8, 4, 1, 0), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1)]
    makes = nn.Sequential(*up, nn.Tanh()).to(device)
    judge = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(128, 1))
    judge.to(device)
    making = torch.optim.Adam(makes.parameters(), 2e-4, betas=(0.5, 0.999))
    judging = torch.optim.Adam(judge.parameters(), 2e-4, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    yes, no = torch.ones(4, 1, device=device), torch.zeros(4, 1, device=device)
    for _ in range(3):
        real = torch.rand(4, 1, 8, 8).to(device)
        fake = makes(torch.randn(4, 8, 1, 1, device=device))
        step(judging, criterion(judge(real), yes) + criterion(judge(fake.detach()), no))
        step(making, criterion(judge(fake), yes))
    return nn.ModuleList([makes, judge])


@program
def gradient_penalty(device: str) -> nn.Module:
    makes = nn.Linear(4, 6).to(device)
    judge = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    optimizer = torch.optim.RMSprop(judge.parameters(), 1e-3)
    for _ in range(3):
        real, fake = torch.randn(5, 6).to(device), makes(torch.randn(5, 4, device=device)).detach()
        share = torch.rand(5, 1, device=device)
        between = (share * real + (1 - share) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(judge(between).sum(), between, create_graph=True)
        step(optimizer, judge(fake).mean() - judge(real).mean() + 10 * (slope.norm(2, 1) - 1).pow(2).mean())
    return judge


@program
def variational_autoencoder(device: str) -> nn.Module:
    model = nn.ModuleList([nn.Linear(10, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 10)]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(4):
        x = torch.rand(6, 10).to(device)
        hidden = F.relu(model[0](x))
        mean, spread = model[1](hidden), model[2](hidden)
        again = torch.sigmoid(model[3](mean + torch.randn_like(mean) * torch.exp(0.5 * spread)))
        divergence = -0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())
        step(optimizer, F.binary_cross_entropy(again, x, reduction="sum") + divergence)
    return model


@program
def resumed_from_a_checkpoint(device: str) -> nn.Module:
    def made() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.ReLU(), nn.Linear(8, 2)).to(device)
        return model, torch.optim.Adam(model.parameters(), 1e-2)

    def train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
        for _ in range(steps):
            step(optimizer, model(torch.randn(3, 4).to(device)).pow(2).sum())

    model, optimizer = made()
    train(model, optimizer, 2)
    file = io.BytesIO()
    devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "devices": devices}
    torch.save({**state, "random": torch.get_rng_state()}, file)
    train(model, optimizer, 1)
    file.seek(0)
    state = torch.load(file, map_location=device)
    model, optimizer = made()
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])  # type: ignore[arg-type]
    torch.set_rng_state(state["random"].cpu())  # type: ignore[attr-defined]
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([each.cpu() for each in state["devices"]])
    train(model, optimizer, 2)
    return model


@program
def value_learning(device: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    slow, optimizer = copy.deepcopy(model), torch.optim.Adam(model.parameters(), 1e-3)
    seen: list[tuple[Tensor, int, float, Tensor]] = []
    for time in range(30):
        state = torch.rand(4)
        best = model(state.unsqueeze(0).to(device)).argmax(1).item()
        action = int(best) if random.random() > 0.3 else random.randrange(2)
        seen.append((state, action, random.random(), torch.rand(4)))
        if len(seen) > 16:
            batch = random.sample(seen, 8)
            states = torch.stack([each[0] for each in batch]).to(device)
            actions = torch.tensor([each[1] for each in batch], device=device).unsqueeze(1)
            rewards = torch.tensor([each[2] for each in batch], device=device, dtype=torch.float32)
            with torch.no_grad():
                goal = rewards + 0.99 * slow(torch.stack([each[3] for each in batch]).to(device)).max(1)[0]
            step(optimizer, F.smooth_l1_loss(model(states).gather(1, actions).squeeze(1), goal))
        if time % 10 == 0:
            slow.load_state_dict(model.state_dict())
    return model


@program
def graph_convolution(device: str) -> nn.Module:
    edges = ((torch.rand(8, 8) > 0.6) | torch.eye(8).bool()).float()
    edges = (edges / edges.sum(1, keepdim=True)).to_sparse().to(device)
    x, y = torch.randn(8, 5).to(device), torch.randint(0, 3, (8,)).to(device)
    model = nn.ModuleList([nn.Linear(5, 8), nn.Linear(8, 3)]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2, weight_decay=5e-4)
    for _ in range(4):
        hidden = F.dropout(F.relu(torch.sparse.mm(edges, model[0](x))), 0.5)
        step(optimizer, F.nll_loss(F.log_softmax(torch.sparse.mm(edges, model[1](hidden)), 1)[:5], y[:5]))
    return model


@program
def segmentation(device: str) -> nn.Module:
    down = [nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1), nn.GroupNorm(2, 8)]
    model = nn.ModuleList([*down, nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 2, 1)])
    model = model.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.NAdam(model.parameters(), 1e-3)
    for _ in range(3):
        x, y = torch.randn(2, 1, 8, 8).to(device), torch.randint(0, 2, (2, 8, 8), device=device)
        fine = F.silu(model[0](x))
        coarse = model[3](F.silu(model[2](model[1](F.avg_pool2d(fine, 2)))))
        coarse = F.interpolate(coarse, size=fine.shape[-2:], mode="bilinear", align_corners=False)
        weight = torch.tensor([0.3, 0.7]).to(device)
        step(optimizer, F.cross_entropy(model[4](torch.cat([fine, coarse], 1)), y, weight=weight))
    return model


@program
def averaged_weights(device: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    mean = torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=mean)
    schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.05)
    batches = [(torch.randn(5, 4), torch.randn(5, 1)) for _ in range(4)]
    for x, y in batches:
        step(optimizer, F.huber_loss(model(x.to(device)), y.to(device)))
        average.update_parameters(model)
        schedule.step()
    torch.optim.swa_utils.update_bn([x for x, _ in batches], average, device=torch.device(device))
    return average


@program
def recomputed_activations(device: str) -> nn.Module:
    layers = [nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.3), nn.GELU()) for _ in range(4)]
    model = nn.Sequential(*layers).to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), 0.1)
    for _ in range(3):
        x = torch.randn(4, 6).to(device).requires_grad_()
        hidden = checkpoint(model[0], x, use_reentrant=False)
        step(optimizer, checkpoint_sequential(model[1:], 2, hidden, use_reentrant=True).pow(2).sum())
    return model


@program
def learning_to_learn(device: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(2):
        optimizer.zero_grad()
        for _ in range(2):
            x = torch.randn(5, 3).to(device)
            y, weights = x.sum(1, keepdim=True), dict(model.named_parameters())
            loss = F.mse_loss(torch.func.functional_call(model, weights, (x,)), y)
            slopes = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
            moved = {name: w - 0.1 * slope for (name, w), slope in zip(weights.items(), slopes, strict=True)}
            F.mse_loss(torch.func.functional_call(model, moved, (x,)), y).backward()
        optimizer.step()
    return model


@program
def normalizing_flow(device: str) -> nn.Module:
    base = torch.distributions.MultivariateNormal(torch.zeros(2, device=device), torch.eye(2, device=device))
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
    optimizer = torch.optim.Adamax(model.parameters(), 1e-2)
    for _ in range(3):
        x = torch.randn(6, 2).to(device)
        scale, shift = model(x[:, :1]).unbind(1)
        z = torch.stack([x[:, 0], (x[:, 1] - shift) * torch.exp(-scale)], 1)
        step(optimizer, (scale - base.log_prob(z)).mean())
        torch.distributions.Normal(shift.detach(), 1.0).rsample()
    return model


@program
def loader_with_workers(device: str) -> nn.Module:
    data = TensorDataset(torch.randn(12, 4), torch.randn(12, 1))
    some, _ = random_split(data, [8, 4], generator=torch.Generator().manual_seed(1))
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
    sampler = WeightedRandomSampler([1.0] * 8, 8)
    for x, y in DataLoader(some, batch_size=4, sampler=sampler, num_workers=1, pin_memory=device != "cpu"):
        inputs, targets = x.to(device, non_blocking=True), y.to(device, non_blocking=True)

        def loss(inputs: Tensor = inputs, targets: Tensor = targets) -> Tensor:
            optimizer.zero_grad()
            found = F.mse_loss(model(inputs), targets)
            found.backward()
            return found

        optimizer.step(loss)  # type: ignore[arg-type]
    return model


@program
def temporal_classification(device: str) -> nn.Module:
    model = nn.ModuleList([nn.Conv1d(4, 8, 3, padding=1), nn.Linear(8, 5)]).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2, amsgrad=True)
    for _ in range(3):
        hidden = F.relu(model[0](torch.randn(2, 4, 10).to(device))).permute(2, 0, 1)
        targets = torch.randint(1, 5, (2, 3)).to(device)
        lengths = torch.full((2,), 10), torch.full((2,), 3)
        step(optimizer, nn.CTCLoss(zero_infinity=True)(model[1](hidden).log_softmax(-1), targets, *lengths))
    return model


@program
def embeddings(device: str) -> nn.Module:
    bag, table = nn.EmbeddingBag(10, 4, mode="mean").to(device), nn.Embedding(10, 4, sparse=True).to(device)
    dense = torch.optim.SGD(bag.parameters(), 0.1)
    sparse = torch.optim.SparseAdam(list(table.parameters()), 1e-2)
    for _ in range(3):
        words, starts = torch.randint(0, 10, (3, 4)).to(device), torch.tensor([0, 3, 5]).to(device)
        sparse.zero_grad()
        step(dense, (bag(words) * table(words).mean(1)).sum() + bag(words.flatten()[:8], starts).sum())
        sparse.step()
    return nn.ModuleList([bag, table])


@program
def double_precision(device: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.PReLU(), nn.Linear(4, 2)).double().to(device)
    nn.utils.parametrizations.weight_norm(model[0])
    optimizer = torch.optim.Rprop(model.parameters())
    for _ in range(3):
        x = torch.randn(4, 4, dtype=torch.float64).to(device)
        loss = F.kl_div(F.log_softmax(model(x), 1), F.softmax(x[:, :2], 1), reduction="batchmean")
        step(optimizer, loss + F.cosine_embedding_loss(model(x), x[:, :2], torch.ones(4, device=device)))
    return model


@program
def diffusion(device: str) -> nn.Module:
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 10).to(device), 0)
    model = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    average = {name: value.detach().clone() for name, value in model.state_dict().items()}
    for _ in range(4):
        x, time = torch.randn(6, 4).to(device), torch.randint(0, 10, (6,), device=device)
        noise, share = torch.randn_like(x), kept[time].unsqueeze(1)
        noisy = share.sqrt() * x + (1 - share).sqrt() * noise
        step(optimizer, F.mse_loss(model(torch.cat([noisy, time.float().unsqueeze(1) / 10], 1)), noise))
        for name, value in model.state_dict().items():
            average[name].mul_(0.9).add_(value, alpha=0.1)
    model.load_state_dict(average)
    return model


@program
def per_sample_gradients(device: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(4, 3), nn.Mish(), nn.Linear(3, 2)).to(device)
    optimizer = torch.optim.RAdam(model.parameters(), 1e-2)
    for _ in range(2):
        x, weights = torch.randn(5, 4).to(device), dict(model.named_parameters())

        def loss(weights: dict[str, Tensor], sample: Tensor) -> Tensor:
            found: Tensor = torch.func.functional_call(model, weights, (sample.unsqueeze(0),))
            return found.pow(2).sum()

        slopes = torch.func.vmap(torch.func.grad(loss), (None, 0))(weights, x)
        for name, weight in weights.items():
            weight.grad = slopes[name].clamp(-0.1, 0.1).mean(0).detach()
        optimizer.step()
    return model


def optimizers() -> Iterator[tuple[str, Callable[[Any], torch.optim.Optimizer]]]:
    """Every optimizer that works on both devices, with what it may be asked for."""
    kinds = "Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop Rprop ASGD Adafactor SGD".split()
    for kind in kinds:
        for options in ({}, {"foreach": True}, {"foreach": False}):
            yield f"{kind} {options}", lambda p, k=kind, o=options: getattr(torch.optim, k)(p, lr=0.01, **o)
    for kind in ("Adam", "AdamW", "SGD", "Adagrad"):
        yield f"{kind} fused", lambda p, k=kind: getattr(torch.optim, k)(p, lr=0.01, fused=True)
