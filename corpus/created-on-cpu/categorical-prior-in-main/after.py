import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class Topics(nn.Module):
    """Assigns each document a topic; every topic has its own word distribution."""

    def __init__(self, words=30, topics=5):
        super().__init__()
        self.infer = nn.Sequential(nn.Linear(words, 32), nn.ReLU(), nn.Linear(32, topics))
        self.word_logits = nn.Parameter(0.1 * torch.randn(topics, words))

    def forward(self, counts):
        q = Categorical(logits=self.infer(counts))
        log_words = F.log_softmax(self.word_logits, dim=1)
        return q, counts @ log_words.t()


def documents(n, words=30, topics=5):
    topic = torch.arange(n) % topics
    rate = torch.full((n, words), 0.3)
    for i in range(n):
        rate[i, topic[i] * 6:topic[i] * 6 + 6] = 2.0
    return torch.poisson(rate)


def main():
    torch.manual_seed(64)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    counts = documents(200).to(device)
    model = Topics().to(device)
    prior = Categorical(probs=torch.tensor([0.2, 0.2, 0.2, 0.2, 0.2], device=device))
    every_topic = torch.arange(5, device=device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(60):
        q, likelihood = model(counts)
        joint = likelihood + prior.log_prob(every_topic)
        elbo = (q.probs * joint).sum(1) + q.entropy()
        loss = -elbo.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print("step", step, "elbo", -loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
