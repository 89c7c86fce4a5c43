/** The document itself is the reason: `message` is one sentence for whoever wanted to read it. */
export class UnreadableError extends Error {}
