/** Reads server-sent events from a response, or from the text of one. */

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/** The events in the text; an unfinished one at its end is left out. */
export function eventsIn(text: string): ReceivedEvent[] {
  const blocks = text.split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const data = field("data");
    return data === undefined
      ? []
      : [{ id: field("id"), event: field("event") ?? "", data: JSON.parse(data) }];
  });
}

/** The sequences of the rows since the last restart. */
export function sequencesOf(events: readonly ReceivedEvent[]): number[] {
  const from = events.findLastIndex(({ event }) => event === "restarted") + 1;
  return events
    .slice(from)
    .filter(({ event }) => event === "exchanges")
    .flatMap(({ data }) => (data as { sequence: number }[]).map(({ sequence }) => sequence));
}

/** Follows a stream until it is disposed of. `ended` resolves when the response ends. */
export async function readEvents(url: string) {
  const leave = new AbortController();
  const response = await fetch(url, { signal: leave.signal });
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
    get events(): ReceivedEvent[] {
      return eventsIn(text);
    },
    sequences: (): number[] => sequencesOf(eventsIn(text)),
    text: (): string => text,
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      leave.abort();
      await ended.catch(() => undefined);
    },
  };
}
