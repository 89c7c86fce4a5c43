// A view that was kept, which is read when somebody first looks at it: an agent that is opened to be told something, to be looked
// at or to wait is not prompted.

import type { Event } from "../../domain/event/event.ts";
import { createView, wayOf, type KeptView, type View, type ViewOptions } from "../view.ts";

/** So many events wait at most to be seen. */
const MAX_WAITING = 256;

/** What `createView` makes of `kept`, by the options of this moment. */
export function laterView(options: ViewOptions, kept: KeptView): View {
  const then = { ...options };
  const waiting: Event[] = [];
  let view: View | undefined;
  const look = (): View => {
    view ??= createView(then, kept);
    for (const event of waiting.splice(0)) view.see(event);
    return view;
  };
  return {
    get items() {
      return look().items;
    },
    get turns() {
      return look().turns;
    },
    get tokens() {
      return look().tokens;
    },
    get chain() {
      return look().chain;
    },
    see(event) {
      if (waiting.push(event) > MAX_WAITING || view) look();
    },
    staying: () => look().staying(),
    setTokens: (item, tokens) => look().setTokens(item, tokens),
    summarised: (items, summary) => look().summarised(items, summary),
    pack() {
      if (wayOf(options) !== kept.way) return undefined;
      return view || waiting.length > 0 ? look().pack() : kept;
    },
  };
}
