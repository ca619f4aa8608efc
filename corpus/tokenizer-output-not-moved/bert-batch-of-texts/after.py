import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(1)

# %% texts and labels
texts = [
    "good food and kind people", "bad food", "kind people good music", "slow and bad service",
    "good music", "bad music and slow people", "kind service", "slow food bad people",
]
labels = torch.tensor([1, 0, 1, 0, 1, 0, 1, 0]).to(device)

# %% a word level tokenizer
vocab = {"[PAD]": 0, "[UNK]": 1}
for word in " ".join(texts).split():
    vocab.setdefault(word, len(vocab))
word_level = Tokenizer(WordLevel(vocab, unk_token="[UNK]"))
word_level.pre_tokenizer = Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=word_level, pad_token="[PAD]", unk_token="[UNK]")

# %% model
config = BertConfig(vocab_size=len(vocab), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=32, max_position_embeddings=16, num_labels=2)
model = BertForSequenceClassification(config)
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)

# %% training
model.train()
for step in range(15):
    inputs = tokenizer(texts, padding=True, truncation=True, max_length=16, return_tensors="pt").to(device)
    outputs = model(**inputs)
    loss = F.cross_entropy(outputs.logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a new text
model.eval()
encoded = tokenizer("good service", return_tensors="pt").to(device)
with torch.no_grad():
    positive = model(**encoded).logits.softmax(-1)[0, 1].item()
print("positive", round(positive, 3))
print("RESULT", loss.item())
