import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from beats import synthetic_beats
from nets import build_pair


def distillation_loss(student_logits, teacher_logits, labels, T=3.0, alpha=0.6):
    soft = F.kl_div(F.log_softmax(student_logits / T, dim=1), F.softmax(teacher_logits / T, dim=1), reduction="batchmean")
    return alpha * T * T * soft + (1 - alpha) * F.cross_entropy(student_logits, labels)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(synthetic_beats(320), batch_size=64, shuffle=True)

    teacher, student = build_pair()
    teacher = teacher.to(device)
    teacher.eval()
    student = student.to(device)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)

    for epoch in range(2):
        for beats, labels in loader:
            beats, labels = beats.to(device), labels.to(device)
            with torch.no_grad():
                teacher_logits = teacher(beats)
            loss = distillation_loss(student(beats), teacher_logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
