/** Reads server-sent events from a response, or from the text of one. */

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/** The events in the text; an unfinished one at its end is left out. */
export function eventsIn(text: string): ReceivedEvent[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const fields = new Map(
        block.split("\n").map((line): [string, string] => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
        }),
      );
      const data = fields.get("data");
      if (data === undefined) return [];
      return [{ id: fields.get("id"), event: fields.get("event") ?? "", data: JSON.parse(data) }];
    });
}

export interface EventReader extends AsyncDisposable {
  readonly response: Response;
  readonly events: readonly ReceivedEvent[];
  /** The sequences of the rows since the last restart. */
  sequences(): number[];
  text(): string;
  /** Resolves when the response ends. */
  readonly ended: Promise<void>;
}

export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const leave = new AbortController();
  const response = await fetch(url, { headers, signal: leave.signal });
  let text = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      if (!leave.signal.aborted) throw error;
    }
  };
  const ended = read();
  // A test that doesn't wait for the end isn't interested in how it came.
  ended.catch(() => undefined);
  return {
    response,
    get events() {
      return eventsIn(text);
    },
    sequences: () => sequencesOf(eventsIn(text)),
    text: () => text,
    ended,
    async [Symbol.asyncDispose]() {
      leave.abort();
      await ended.catch(() => undefined);
    },
  };
}

/** The sequences of the rows since the last restart. */
export function sequencesOf(events: readonly ReceivedEvent[]): number[] {
  const from = events.findLastIndex(({ event }) => event === "restarted") + 1;
  return events
    .slice(from)
    .filter(({ event }) => event === "exchanges")
    .flatMap(({ data }) => (data as { sequence: number }[]).map(({ sequence }) => sequence));
}
