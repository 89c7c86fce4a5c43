/** How the summary of one message is written. */
export const SUMMARY = `- At most 512 characters, about 80 tokens; one plain line without markup.
- The past tense, who did what: subject, verb, object, with one relation said outright.
- Every name, identifier, number and unit as it is; dates as YYYY-MM-DD.
- No pronoun that this line does not resolve: the earlier messages tell who is meant.
- Where one fits, one of these marks at the start, never two: [ask] [decide] [plan] [fix] [timeline] [select] [error].
- Only what the current message says, and nothing for politeness' sake.`;
