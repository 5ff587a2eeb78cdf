/** A publisher's requests in the shortest form, for tests that don't care how a request is built. */

import type { ApiRequest, ApiResponse, Publisher, Simulator } from "../src/index.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Sender {
  /** With the publisher's key, unless it has headers of its own. */
  send(request: ApiRequest): ApiResponse;
  /** About the publisher, unless the query names another. */
  get(
    what: "stats" | "surfaces" | "payouts",
    query?: Readonly<Record<string, string | number>>,
  ): ApiResponse;
  post(what: "impression" | "click", fields: Fields): ApiResponse;
  /** Of one ad on the publisher's first surface, unless the fields say otherwise. */
  impression(fields?: Fields): ApiResponse;
}

export function senderOf(
  sim: Pick<Simulator, "handle">,
  { id: publisher_id, apiKey, surfaces }: Pick<Publisher, "id" | "apiKey" | "surfaces">,
): Sender {
  const headers = { authorization: `Bearer ${apiKey}` };
  const send = (request: ApiRequest): ApiResponse => sim.handle({ headers, ...request });
  const post: Sender["post"] = (what, body) => send({ method: "POST", path: `/v1/${what}`, body });
  return {
    send,
    get: (what, query = {}) =>
      send({ method: "GET", path: `/v1/publisher/${what}`, query: { publisher_id, ...query } }),
    post,
    impression: (fields = {}) =>
      post("impression", { publisher_id, surface: surfaces[0]?.id, ad_id: "ad", ...fields }),
  };
}

/** The id in the answer to an impression; empty where there is none. */
export function impressionIdIn({ body }: ApiResponse): string {
  return /"impression_id":"([^"]+)"/.exec(body)?.[1] ?? "";
}
