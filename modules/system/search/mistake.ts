/** What is wrong with a pattern or a glob. The message is a part of a sentence, about "it". */
export class Mistake extends Error {}
