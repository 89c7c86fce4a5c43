// What agents did to files for a message, taken back: what that would come to is shown before it is done.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AnswerOf } from "../../src/control/api/routes.ts";
import { undoLater, undoWords, type UndoWords } from "../../src/domain/undo/words.ts";
import { act, part, readNow } from "../connection/api.ts";
import { nameOf } from "../legion/overview.ts";
import { UNHEARD } from "../control/acts.ts";
import { announce } from "../parts/announce.tsx";
import { oneLine } from "../parts/shown.ts";

/** `changes`: so many would be taken back; 0 where it is over, or nothing can be. */
interface Told {
  readonly words: readonly UndoWords[];
  readonly changes: number;
}

export function TakeBack({ what }: { readonly what: string }): JSX.Element {
  const told = useSignal<Told | undefined>(undefined);
  const isBusy = useSignal(false);
  const tell = async (ask: () => Promise<Told>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    told.value = await ask();
    isBusy.value = false;
    announce(told.value.words.map(({ head }) => head).join(" "));
  };
  if (!told.value)
    return (
      <button
        type="button"
        class="quiet"
        disabled={isBusy.value}
        onClick={() => void tell(() => planOf(what))}
      >
        Take back…
      </button>
    );
  const { words, changes } = told.value;
  return (
    <div class="taking-back" role="group" aria-label={`Take back what was done for ${oneLine(what)}`}>
      {words.map(({ head, lines }) => (
        <div key={head}>
          <p>{withCode(head)}</p>
          <ul>
            {lines.map(({ text, details = [] }, index) => (
              <li key={index}>
                {oneLine(text)}
                {details.map((detail) => (
                  <span class="dim" key={detail}>
                    {oneLine(detail)}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div class="answering">
        {changes > 0 && (
          <button
            type="button"
            class="main"
            disabled={isBusy.value}
            onClick={() => void tell(() => undone(what))}
          >
            Take {changes === 1 ? "it" : "them"} back
          </button>
        )}
        <button type="button" onClick={() => (told.value = undefined)}>
          {changes > 0 ? "Leave it" : "Close"}
        </button>
      </div>
    </div>
  );
}

async function planOf(what: string): Promise<Told> {
  const heard = await readNow<"undoing">(`/undoing?what=${part(what)}`);
  if (heard.outcome !== "done") return trouble(heard.why);
  return { words: undoWords(heard.answer, "planned"), changes: heard.answer.done.length };
}

async function undone(what: string): Promise<Told> {
  const heard = await act("undo", { what });
  if (heard.outcome === "done") return { words: wordsOf(heard.answer), changes: 0 };
  return trouble(heard.outcome === "refused" ? heard.why : `${heard.why}; ${UNHEARD}`);
}

function wordsOf(answer: AnswerOf<"undo">): readonly UndoWords[] {
  if (answer.outcome === "done") return undoWords(answer, "done");
  return [{ head: undoLater(answer.waitsFor.map(nameOf).join(", ")), lines: [] }];
}

function trouble(why: string): Told {
  return { words: [{ head: why, lines: [] }], changes: 0 };
}

/** Only of words that are ours: what stands between two backticks is typed. */
function withCode(words: string): readonly (string | JSX.Element)[] {
  return oneLine(words)
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
