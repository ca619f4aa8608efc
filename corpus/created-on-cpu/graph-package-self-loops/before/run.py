import torch
import torch.nn.functional as F

from graphs import ring_of_cliques
from layers import LinkScorer


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    adj, block = ring_of_cliques()
    x = torch.randn(len(block), 6) + F.one_hot(block, 6).float()
    adj, x = adj.to(device), x.to(device)
    model = LinkScorer(6).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(40):
        loss = F.binary_cross_entropy_with_logits(model(x, adj), adj)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
