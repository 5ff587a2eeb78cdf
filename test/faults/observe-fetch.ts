/** What `fetch` shows of an answer, in Node and in a page. */

/** What a client saw, except the body. */
export interface Observed {
  /** Undefined if no head arrived. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The failure in the client's own words; undefined if there was none. */
  readonly failure: string | undefined;
}

/** With the body as it came. */
export interface SeenInPieces extends Observed {
  readonly pieces: readonly Uint8Array[];
}

export interface Patience {
  readonly until: Promise<unknown>;
  readonly ms: number;
}

export interface Sent {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** When the client leaves: once this promise resolves. Curl only has a time limit. */
  readonly patience?: Patience | undefined;
}

/** As `fetch` reports it: the error's message, and the code or message of its cause. */
export function observeInPieces(send: typeof fetch): (sent: Sent) => Promise<SeenInPieces> {
  return async ({ url, method = "GET", headers = {}, body, patience }) => {
    const controller = new AbortController();
    const { signal } = controller;
    void patience?.until.then(() => controller.abort());
    const pieces: Uint8Array[] = [];
    let response: Response | undefined;
    let failure: string | undefined;
    try {
      response = await send(url, {
        method,
        headers,
        body: body ?? null,
        signal,
        redirect: "manual",
      });
      for await (const piece of response.body ?? []) pieces.push(piece);
    } catch (error) {
      failure = described(error);
    }
    const got = Object.fromEntries(response?.headers ?? []);
    return { status: response?.status, headers: got, pieces, failure };
  };
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string; name?: string } };
  const { name, message } = error;
  return [name, message, cause?.code ?? cause?.name].filter(Boolean).join(": ");
}
