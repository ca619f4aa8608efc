/** Words: a command line as a user types it, taken apart. */

/** The words of a command line; quotes hold together what has spaces. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}
