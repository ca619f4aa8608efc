import torch
import torch.nn as nn
from torch.nn.utils import rnn as rnn_utils

PAD_ID = 0
device = "cuda" if torch.cuda.is_available() else "cpu"


class PosTagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=20):
        super().__init__()
        self.words = nn.Embedding(n_words, dim, padding_idx=PAD_ID)
        self.bilstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(2 * dim, n_tags)

    def forward(self, sentences):
        mask = sentences.ne(PAD_ID)
        lengths = mask.sum(dim=1)
        embedded = self.words(sentences)
        packed = rnn_utils.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        output, _ = self.bilstm(packed)
        output, _ = rnn_utils.pad_packed_sequence(output, batch_first=True, total_length=sentences.size(1))
        return self.tags(output)


def treebank(n, longest=9):
    """The tag of a word is its id modulo four, except after word 1 where it is shifted."""
    gen = torch.Generator().manual_seed(18)
    lengths = torch.randint(3, longest + 1, (n, 1), generator=gen)
    words = torch.randint(1, 24, (n, longest), generator=gen)
    words[torch.arange(longest)[None] >= lengths] = PAD_ID
    tags = words % 4
    tags[:, 1:][words[:, :-1] == 1] = 3
    tags[words == PAD_ID] = -100
    return words, tags


torch.manual_seed(18)
words, tags = treebank(256)
words, tags = words.to(device), tags.to(device)
tagger = PosTagger(24, 4).to(device)
optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)

for epoch in range(4):
    for k in range(0, len(words), 64):
        scores = tagger(words[k:k + 64])
        loss = loss_fn(scores.flatten(0, 1), tags[k:k + 64].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch}: {loss.item():.4f}")
print("RESULT", loss.item())
