// What is sent to a model, and what it says while it says it, without secrets. What it said in the end, the log redacts.

import type { Pieces } from "../../../base/redaction/pieces.ts";
import { NO_SECRETS, type Redactor } from "../../../base/redaction/redactor.ts";
import { mapFields } from "../../../base/text/json.ts";
import type { Delta, Model, ModelRequest, Turn } from "../../../domain/model.ts";

export function redactedModel(model: Model, redactor: Redactor): Model {
  if (redactor === NO_SECRETS) return model;
  const redactRequest = createRequestRedactor(redactor);
  return {
    ...model,
    get profile() {
      return model.profile;
    },
    async complete(request, { onDelta, ...run }) {
      const deltas = onDelta && redactDeltas(onDelta, redactor);
      try {
        return await model.complete(redactRequest(request), { ...run, onDelta: deltas?.show });
      } finally {
        deltas?.end();
      }
    },
  };
}

/** Of requests that each begin as the one before: what that one had is not looked at again, and stays the same objects. */
export function createRequestRedactor(redactor: Redactor): (request: ModelRequest) => ModelRequest {
  const turnsWithout = createTurnsRedactor(redactor);
  /** By field, what it was in the newest request, and what that is without secrets. */
  const known = new Map<string, { readonly given: unknown; readonly clean: unknown }>();
  return (request) =>
    mapFields(request, (key, given) => {
      if (key === "turns") return turnsWithout(request.turns);
      const before = known.get(key);
      if (before && before.given === given) return before.clean;
      const clean = redactor.value(given);
      known.set(key, { given, clean });
      return clean;
    });
}

function createTurnsRedactor(redactor: Redactor): (turns: readonly Turn[]) => readonly Turn[] {
  /** Those of the newest request, and what they are without secrets. */
  const seen: Turn[] = [];
  const clean: Turn[] = [];
  let changed = 0;
  return (turns) => {
    // A summary takes the place of the first ones, and anything else moves what stands behind it.
    const isAnew = seen[0] !== turns[0];
    while (seen.length > 0 && (isAnew || seen.at(-1) !== turns[seen.length - 1]))
      if (seen.pop() !== clean.pop()) changed--;
    for (const turn of turns.slice(seen.length)) {
      const redacted = withoutSecrets(turn, redactor);
      if (redacted !== turn) changed++;
      seen.push(turn);
      clean.push(redacted);
    }
    return changed === 0 ? turns : clean;
  };
}

/** What a provider must see again was made for exactly what it said. */
function withoutSecrets(turn: Turn, redactor: Redactor): Turn {
  const redacted = redactor.value(turn);
  return redacted !== turn && redacted.role === "assistant" ? { ...redacted, provider: undefined } : redacted;
}

/** A secret may come in pieces: what may be the beginning of one is held back until more of it is known. */
function redactDeltas(show: (delta: Delta) => void, redactor: Redactor) {
  const spoken: Record<"text" | "thoughts", Pieces> = {
    text: redactor.pieces(),
    thoughts: redactor.pieces(),
  };
  const tell = (kind: "text" | "thoughts", text: string): void => {
    if (text !== "") show({ kind, text });
  };
  return {
    show(delta: Delta): void {
      if (delta.kind === "call") show(redactor.value(delta));
      else tell(delta.kind, spoken[delta.kind].add(delta.text));
    },
    end(): void {
      tell("thoughts", spoken.thoughts.end());
      tell("text", spoken.text.end());
    },
  };
}
