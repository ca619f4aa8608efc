"""Score sentences with a small GPT-2 built on the spot."""
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

WORDS = "the a cat dog bird sat ran flew on over under mat road tree and".split()


def build_tokenizer():
    vocab = {w: i for i, w in enumerate(["<unk>", "<eos>", *WORDS])}
    raw = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", eos_token="<eos>", pad_token="<eos>")


def perplexity(model, tokenizer, sentence):
    input_ids = tokenizer(sentence, return_tensors="pt").input_ids.to(model.device)
    with torch.no_grad():
        logits = model(input_ids).logits
    log_probs = logits[0, :-1].log_softmax(-1)
    return (-log_probs.mean()).exp().item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = build_tokenizer()
    config = GPT2Config(vocab_size=len(tokenizer), n_positions=32, n_embd=16, n_layer=2, n_head=2,
                        bos_token_id=1, eos_token_id=1)
    model = GPT2LMHeadModel(config).to(device).eval()

    prompt = "the cat sat on the mat"
    input_ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
    with torch.no_grad():
        logits = model(input_ids).logits
    print("next word", tokenizer.decode([logits[0, -1].argmax().item()]))

    scores = [perplexity(model, tokenizer, s) for s in (prompt, "a dog ran under the tree and a bird flew")]
    print("RESULT", sum(scores) / len(scores))


if __name__ == "__main__":
    main()
