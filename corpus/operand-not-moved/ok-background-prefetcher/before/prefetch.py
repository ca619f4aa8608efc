import queue
import threading


class Prefetcher:
    def __init__(self, loader, device, depth=2):
        self.loader, self.device, self.depth = loader, device, depth

    def _fill(self, out):
        try:
            for batch in self.loader:
                out.put([t.to(self.device, non_blocking=True) for t in batch])
        finally:
            out.put(None)

    def __iter__(self):
        batches = queue.Queue(maxsize=self.depth)
        thread = threading.Thread(target=self._fill, args=(batches,), daemon=True)
        thread.start()
        while (batch := batches.get()) is not None:
            yield batch
        thread.join()
