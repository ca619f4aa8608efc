// Search without a server: browsers start no worker for a page that is read from the disk, so a hidden frame does its work.
// The theme looks for a script of this name, and would fetch one from elsewhere.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      // The script takes its frame for a worker: what it posts is told here, and what it imports is loaded in order.
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.loaded = this.load(script);
    }

    load(script) {
      const inside = this.frame.contentDocument;
      return new Promise((resolve, reject) => {
        const element = inside.createElement("script");
        element.src = new URL(script, document.baseURI);
        element.onload = resolve;
        element.onerror = reject;
        inside.body.append(element);
      });
    }

    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.loaded = this.loaded.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
