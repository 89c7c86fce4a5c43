// How much of the machine, and of an agent's time, a page may take.

export const MAX_PAGES = 4;
/** An unused browser ends after this. */
export const IDLE_MS = 60_000;
/** From the first byte to a page at rest; then it is taken as it stands. */
export const SETTLE_MS = 15_000;
/** For handing over what stands there: a page whose scripts never pause does not. */
export const TAKE_MS = 6_000;
/** Without a request for so long, a page is at rest. */
export const QUIET_MS = 500;
/** Some pages always have a request or two under way: they are at rest when it stays at that for so long. */
export const NEARLY_QUIET_MS = 5_000;
export const NEARLY_QUIET_REQUESTS = 2;
/** How often to scroll to the end of a page that grows by it. */
export const MAX_SCROLLS = 4;
/** Of HTML, frames included. */
export const MAX_CHARACTERS = 10_000_000;
export const MAX_FRAMES = 20;
export const MAX_FRAME_DEPTH = 3;
/** What one page may load in all. */
export const MAX_LOADED_BYTES = 100_000_000;
/** What a page may hold as objects of its scripts. */
export const MAX_SCRIPT_MEGABYTES = 512;
/** A longer message of the browser is dropped. HTML of MAX_CHARACTERS fits, escaped at its worst. */
export const MAX_MESSAGE_BYTES = 64_000_000;
/** For the browser to start, and to answer; one that does not is ended. */
export const ANSWER_MS = 30_000;
/** For the browser to end when it is asked to. */
export const END_MS = 2_000;
