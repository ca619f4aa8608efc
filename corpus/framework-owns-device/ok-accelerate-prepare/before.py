import torch
import torch.nn as nn
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


class Student(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(9, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(25)
    accelerator = Accelerator()
    teacher, student = Student(64), Student(8)
    x = torch.randn(320, 9)
    y = x[:, :4].argmax(dim=1)
    optimizer = torch.optim.Adam(list(student.parameters()) + list(teacher.parameters()), lr=1e-2)
    train = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=32, shuffle=True)
    valid = DataLoader(TensorDataset(x[256:], y[256:]), batch_size=64)
    teacher, student, optimizer, train, valid = accelerator.prepare(teacher, student, optimizer, train, valid)
    class_weight = torch.tensor([1.0, 1.0, 2.0, 2.0], device=accelerator.device)
    criterion = nn.CrossEntropyLoss(weight=class_weight)

    for epoch in range(3):
        for inputs, labels in train:
            big, small = teacher(inputs), student(inputs)
            soft = nn.functional.kl_div(small.log_softmax(1), big.detach().softmax(1), reduction="batchmean")
            loss = criterion(big, labels) + criterion(small, labels) + soft
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

    hits = []
    for inputs, labels in valid:
        with torch.no_grad():
            guess = student(inputs).argmax(dim=1)
        guess, labels = accelerator.gather_for_metrics((guess, labels))
        hits.append((guess == labels).float().mean())
    accelerator.print("accuracy", torch.stack(hits).mean().item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
