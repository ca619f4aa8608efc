"""A training script of about a thousand lines, put together from parts as people write them."""

from __future__ import annotations

_HEAD = '''
"""Train an image classifier with mixed losses, checkpoints and an exponential average of the weights."""

import argparse
import json
import logging
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, random_split

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data", help="folder with the arrays")
    parser.add_argument("--output", default="runs", help="where checkpoints go")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--weight-decay", type=float, default=0.05)
    parser.add_argument("--warmup", type=int, default=500)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--smoothing", type=float, default=0.1)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", default=None)
    parser.add_argument("--amp", action="store_true")
    return parser.parse_args()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
'''

_DATASET = '''

class Samples{n}(Dataset):
    """Images and labels number {n}, with simple augmentation."""

    def __init__(self, root, train=True, size=32):
        self.root = root
        self.train = train
        self.size = size
        self.images = torch.randn(512, 3, size, size)
        self.labels = torch.randint(0, 10, (512,))
        self.mean = torch.tensor([0.48, 0.46, 0.41]).view(3, 1, 1)
        self.std = torch.tensor([0.23, 0.22, 0.21]).view(3, 1, 1)

    def __len__(self):
        return len(self.labels)

    def augment(self, image):
        if random.random() < 0.5:
            image = torch.flip(image, dims=[2])
        shift = random.randint(-4, 4)
        image = torch.roll(image, shifts=shift, dims=1)
        if random.random() < 0.2:
            image = image + 0.05 * torch.randn_like(image)
        return image

    def __getitem__(self, index):
        image = (self.images[index] - self.mean) / self.std
        if self.train:
            image = self.augment(image)
        return image, self.labels[index]
'''

_BLOCK = '''

class Attention{n}(nn.Module):
    """Multi-head attention with relative positions, variant {n}."""

    def __init__(self, dim, heads=4, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)
        self.bias = nn.Parameter(torch.zeros(heads, 1, 1))

    def forward(self, x, mask=None):
        batch, length, dim = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * self.scale + self.bias
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        mixed = (weights @ v).transpose(1, 2).reshape(batch, length, dim)
        return self.out(mixed)


class Block{n}(nn.Module):
    def __init__(self, dim, hidden, dropout=0.1):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = Attention{n}(dim, dropout=dropout)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, dim))
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x, mask=None):
        x = x + self.gamma * self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class Encoder{n}(nn.Module):
    """Patches, positions and a stack of blocks."""

    def __init__(self, dim=64, depth=2, patch=4, size=32, classes=10):
        super().__init__()
        self.patch = patch
        self.project = nn.Conv2d(3, dim, patch, stride=patch)
        count = (size // patch) ** 2
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.positions = nn.Parameter(torch.zeros(1, count + 1, dim))
        self.blocks = nn.ModuleList([Block{n}(dim, dim * 4) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        self.reset()

    def reset(self):
        nn.init.trunc_normal_(self.cls, std=0.02)
        nn.init.trunc_normal_(self.positions, std=0.02)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, images):
        x = self.project(images).flatten(2).transpose(1, 2)
        cls = self.cls.expand(x.shape[0], -1, -1)
        x = torch.cat([cls, x], dim=1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, 0]))
'''

_LOSS = '''

class SmoothedLoss{n}(nn.Module):
    def __init__(self, classes=10, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.smoothing = smoothing
        self.register_buffer("prior", torch.full((classes,), 1.0 / classes))

    def forward(self, logits, target):
        log_probs = F.log_softmax(logits, dim=-1)
        hard = F.one_hot(target, self.classes).float()
        soft = hard * (1 - self.smoothing) + self.smoothing * self.prior
        return -(soft * log_probs).sum(dim=-1).mean()


def accuracy{n}(logits, target, topk=(1, 5)):
    """The share of targets among the first so many predictions."""
    _, predictions = logits.topk(max(topk), dim=1)
    correct = predictions.eq(target.view(-1, 1))
    return [correct[:, :k].any(dim=1).float().mean().item() for k in topk]
'''

_TRAINING = '''

class Average{n}:
    """A running average of the weights."""

    def __init__(self, model, decay=0.999):
        self.decay = decay
        self.shadow = {{name: p.detach().clone() for name, p in model.named_parameters()}}

    @torch.no_grad()
    def update(self, model):
        for name, parameter in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(parameter.detach(), alpha=1 - self.decay)


def train_epoch{n}(model, loader, criterion, optimizer, scheduler, device, epoch, clip=1.0):
    model.train()
    total, count, start = 0.0, 0, time.time()
    for step, (images, labels) in enumerate(loader):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad(set_to_none=True)
        logits = model(images)
        loss = criterion(logits, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        scheduler.step()
        total += loss.item() * images.size(0)
        count += images.size(0)
        if step % 50 == 0:
            rate = count / max(time.time() - start, 1e-9)
            logger.info("epoch %d step %d loss %.4f (%.0f images/s)", epoch, step, loss.item(), rate)
    return total / max(count, 1)


@torch.no_grad()
def evaluate{n}(model, loader, criterion, device):
    model.eval()
    total, hits, count = 0.0, 0.0, 0
    confusion = torch.zeros(10, 10, dtype=torch.long)
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        logits = model(images)
        total += criterion(logits, labels).item() * labels.size(0)
        hits += accuracy{n}(logits, labels)[0] * labels.size(0)
        count += labels.size(0)
        for truth, guess in zip(labels.cpu(), logits.argmax(1).cpu()):
            confusion[truth, guess] += 1
    return {{"loss": total / count, "accuracy": hits / count, "confusion": confusion.tolist()}}


def schedule{n}(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return step / max(warmup, 1)
        done = (step - warmup) / max(total - warmup, 1)
        return 0.5 * (1 + math.cos(math.pi * done))

    return LambdaLR(optimizer, factor)


def run{n}(args, device):
    data = Samples{n}(args.data)
    held_out = len(data) // 10
    train, valid = random_split(data, [len(data) - held_out, held_out])
    train_loader = DataLoader(train, args.batch_size, shuffle=True, num_workers=args.workers)
    valid_loader = DataLoader(valid, args.batch_size, num_workers=args.workers)
    model = Encoder{n}().to(device)
    criterion = SmoothedLoss{n}(smoothing=args.smoothing).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    scheduler = schedule{n}(optimizer, args.warmup, args.epochs * len(train_loader))
    average = Average{n}(model)
    start, best = 0, 0.0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location=device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start, best = checkpoint["epoch"] + 1, checkpoint["best"]
    for epoch in range(start, args.epochs):
        loss = train_epoch{n}(model, train_loader, criterion, optimizer, scheduler, device, epoch, args.clip)
        average.update(model)
        report = evaluate{n}(model, valid_loader, criterion, device)
        logger.info("epoch %d: train %.4f, valid %.4f", epoch, loss, report["loss"])
        if report["accuracy"] > best:
            best = report["accuracy"]
            state = {{"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "best": best}}
            torch.save(state, os.path.join(args.output, "best{n}.pt"))
    with open(os.path.join(args.output, "report{n}.json"), "w") as file:
        json.dump({{"best": best}}, file)
    return model
'''

_TAIL = """

def main():
    logging.basicConfig(level=logging.INFO)
    args = parse_args()
    set_seed(args.seed)
    os.makedirs(args.output, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{runs}
    weights = torch.ones(10)
    images = torch.randn(8, 3, 32, 32, device=device)
    print((model(images) * weights).sum())


if __name__ == "__main__":
    main()
"""


def training_file(parts: int = 4) -> str:
    """The script; each part is a data set, a model, a loss and their training. It has one fault."""
    bodies = [part.format(n=n) for n in range(parts) for part in (_DATASET, _BLOCK, _LOSS, _TRAINING)]
    runs = "\n".join(f"    model = run{n}(args, device)" for n in range(parts))
    return (_HEAD + "".join(bodies) + _TAIL.format(runs=runs)).lstrip()
