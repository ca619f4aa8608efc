from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

KNOWN = "the a to from in is train city late fresh bread oven kitchen".split()


def build_tokenizer():
    vocab = {"[PAD]": 0, "[UNK]": 1, **{w: i + 2 for i, w in enumerate(KNOWN)}}
    core = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]")
