// What is sent to a model, and what it says while it says it, without secrets. What it said in the end, the log redacts.

import type { Pieces } from "../../base/redaction/pieces.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { mapFields } from "../../base/json.ts";
import type { Delta, Model, ModelRequest, Turn } from "../../domain/model.ts";

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

/** Of requests that have most of their turns in common: each turn is looked at once, and stays the same object. */
export function createRequestRedactor(redactor: Redactor): (request: ModelRequest) => ModelRequest {
  const clean = new WeakMap<Turn, Turn>();
  const redactTurn = (turn: Turn): Turn => {
    let redacted = clean.get(turn);
    if (!redacted) clean.set(turn, (redacted = withoutSecrets(turn, redactor)));
    return redacted;
  };
  return (request) =>
    mapFields(request, (key, value) => {
      if (key !== "turns") return redactor.value(value);
      const turns = request.turns.map(redactTurn);
      return turns.every((turn, index) => turn === request.turns[index]) ? request.turns : turns;
    });
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
      if (delta.kind === "call") show({ kind: "call", name: redactor.text(delta.name) });
      else tell(delta.kind, spoken[delta.kind].add(delta.text));
    },
    end(): void {
      tell("thoughts", spoken.thoughts.end());
      tell("text", spoken.text.end());
    },
  };
}
