/** How a message is entered. */
export const ENTRY_CAPTURE = `- Enter the current message, exactly once. Nothing is filtered, merged or put off, however small it is.
- Do it silently: no answer, no comment, no question.
- The text is kept word for word as it was said; \`raw_entry\` may be left out.
- \`tags\` are for what it may be looked up by later, such as { "topic": "boats" }: few, short, and only what is in it.`;
