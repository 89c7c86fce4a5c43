/** How the context document is written. */
export const CONTEXT = `- One Markdown document of at most 5,000 characters that takes the place of the current one: what somebody has to know who reads nothing else.
- These headings, in this order, and none that would be empty: # Description, # Facts, # Preferences, # Decisions, # Topics, # Entities, # Notes, # Timeline.
- Made of what was said, word for word in the entries, and of the current context. Nothing is made up, and a guess is no fact.
- Where something has changed, what holds now; the change itself, with its date, in the timeline.
- Names, identifiers, numbers and dates as they are; dates as YYYY-MM-DD.
- Room for what is new: what is old and settled is put shorter, or left out; it stays in earlier documents.
- A diagram only where it says more than words: Mermaid, at most 10 nodes and 600 characters.`;
