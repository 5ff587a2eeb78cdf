/** A client as one writes it in an hour: fetch, no queue, no repeats. It can be given one defect. */

import type { CreateDriver, Driver, DriverContext } from "../../../src/contract.ts";
import type { Defect } from "./plain-defects.ts";

interface Receipt {
  readonly impression_id: string;
  readonly revenue_credited_inr: number;
}

type Members = Readonly<Record<string, unknown>>;

const encodings = ["json", "form", "query"] as const;

/** @param defect What it gets wrong. @default nothing */
export function plainClient(defect?: Defect): CreateDriver<Receipt> {
  return async (context) => await new PlainClient(context, defect).open();
}

class PlainClient {
  readonly #context: DriverContext;
  readonly #defect: Defect | undefined;
  #encoding = 0;
  #shown = 0;
  #latest = "";
  #statistics: { readonly untilMs: number; readonly answer: Promise<unknown> } | undefined;

  #listing: Promise<unknown> | undefined;

  constructor(context: DriverContext, defect: Defect | undefined) {
    this.#context = context;
    this.#defect = defect;
  }

  async open(): Promise<Driver<Receipt>> {
    const { surfaces } = this.#context;
    if (this.#has("refuses to start")) throw new Error("not today");
    if (this.#has("asks to be paid at the start")) await this.#send("POST", "/v1/payout", {});
    if (this.#has("records an impression to warm up"))
      await this.#record({ surface: surfaces[0]?.id ?? "", ad_id: "warm-up" });
    return {
      impression: (shown) => this.#show(shown),
      click: (receipt) => this.#click(receipt),
      stats: (query) =>
        this.#has("keeps statistics for an hour") ? this.#kept(query) : this.#stats(query),
      surfaces: () => this.#surfaces(),
      payouts: (query) =>
        this.#has("shares one list of payouts among calls at once")
          ? this.#payoutsShared(query)
          : this.#payouts(query),
    };
  }

  #has(defect: Defect): boolean {
    return this.#defect === defect;
  }

  async #show({ surface, ad, session }: Parameters<Driver["impression"]>[0]): Promise<Receipt> {
    this.#shown += 1;
    const about: Record<string, unknown> = { surface, ad_id: ad, session_id: session };
    if (this.#has("swaps ad and surface")) Object.assign(about, { surface: ad, ad_id: surface });
    if (this.#has("trims what it sends"))
      Object.assign(about, { ad_id: ad.trim(), session_id: session.trim() });
    if (this.#has("cuts names after 64 characters")) about.ad_id = ad.slice(0, 64);
    if (this.#has("cuts sessions after 64 characters")) about.session_id = session.slice(0, 64);
    if (this.#has("composes letters")) about.ad_id = ad.normalize("NFC");
    if (this.#has("sends a parameter of its own")) about.referrer = "https://example.org/";
    if (this.#has("sends an empty session")) about.session_id = "";
    if (this.#has("shares one session")) about.session_id = "the-session";
    if (this.#has("sends no session")) delete about.session_id;
    const none = { impression_id: "none", revenue_credited_inr: 0 };
    if (this.#has("forgets every third ad view") && this.#shown % 3 === 0) return none;
    if (this.#has("reports each ad view twice")) {
      await this.#record({ ...about, session_id: `${session}-first` });
    }
    const receipt = await this.#record(about);
    if (this.#has("clicks on what it shows")) await this.#click(receipt);
    this.#latest = receipt.impression_id;
    return receipt;
  }

  async #record(about: Members): Promise<Receipt> {
    const { publisherId } = this.#context;
    const publisher = this.#has("forgets the publisher") ? {} : { publisher_id: publisherId };
    const first = this.#latest;
    const answer = await this.#ask("POST", "/v1/impression", { ...publisher, ...about });
    let { impression_id, revenue_credited_inr } = answer as unknown as Receipt;
    const asText = (value: unknown): never => value as never;
    if (this.#has("takes ids for numbers") && /^\d+$/.test(impression_id))
      impression_id = asText(Number(impression_id));
    if (this.#has("cuts ids after 24 characters")) impression_id = impression_id.slice(0, 24);
    if (this.#has("takes ids of one form only") && !impression_id.startsWith("imp_"))
      throw new Error("what is that?");
    if (this.#has("rounds credits to paise"))
      revenue_credited_inr = Math.round(revenue_credited_inr * 100) / 100;
    if (this.#has("keeps credits as texts"))
      revenue_credited_inr = asText(String(revenue_credited_inr));
    if (this.#has("gives the last id for a repeat") && first !== "") impression_id = first;
    return { impression_id, revenue_credited_inr };
  }

  async #click({ impression_id }: Receipt): Promise<unknown> {
    if (this.#has("doesn't send clicks")) return {};
    if (this.#has("refuses to click")) throw new Error("not today");
    let id = this.#has("clicks on the latest impression") ? this.#latest : impression_id;
    if (this.#has("encodes ids twice")) id = encodeURIComponent(id);
    if (this.#has("clicks twice")) await this.#ask("POST", "/v1/click", { impression_id: id });
    return await this.#ask("POST", "/v1/click", { impression_id: id });
  }

  async #kept(query: Parameters<NonNullable<Driver["stats"]>>[0]): Promise<unknown> {
    const now = this.#context.timers.now();
    if (this.#statistics === undefined || now > this.#statistics.untilMs)
      this.#statistics = { untilMs: now + 3_600_000, answer: this.#stats(query) };
    return await this.#statistics.answer;
  }

  async #stats(query: { from?: string | undefined; to?: string | undefined }): Promise<unknown> {
    const asked: Record<string, unknown> = { publisher_id: this.#context.publisherId, ...query };
    const aheadMs = { "sends days of India": 19_800_000, "sends days of UTC": 0 };
    const ahead = Object.entries(aheadMs).find(([defect]) => defect === this.#defect)?.[1];
    if (ahead !== undefined) {
      const now = this.#context.timers.now() + ahead;
      asked.to ??= dayOf(now);
      asked.from ??= dayOf(now - 30 * 86_400_000);
    }
    for (const name of ["from", "to"]) {
      const day = asked[name];
      if (typeof day !== "string") continue;
      const midnightMs = Date.parse(`${day}T00:00:00Z`);
      if (this.#has("sends instants for days")) asked[name] = new Date(midnightMs).toISOString();
      if (this.#has("reads days as local midnights")) asked[name] = dayOf(midnightMs - 19_800_000);
      if (this.#has("counts months for days") && day.endsWith("-29"))
        asked[name] = `${day.slice(0, 8)}28`;
    }
    if (this.#has("drops the end of a period")) delete asked.to;
    if (this.#has("drops the surface of statistics")) delete asked.surface;
    const answer = await this.#ask("GET", "/v1/publisher/stats", asked);
    const { clicks, surfaces, ...others } = answer as unknown as {
      readonly clicks: number;
      readonly surfaces: readonly { readonly id: string }[];
    };
    if (this.#has("rounds revenue"))
      return { ...answer, revenue_inr: Math.round(Number(answer.revenue_inr)) };
    const isOfOne = asked.surface !== undefined;
    if (this.#has("takes a surface without a row for an error") && isOfOne && surfaces.length === 0)
      throw new Error("where is its row?");
    if (this.#has("drops the clicks of statistics")) return { ...others, surfaces };
    if (this.#has("swaps the rows of statistics") && surfaces.length > 1) {
      const ids = surfaces.map(({ id }) => id).reverse();
      return { ...answer, surfaces: surfaces.map((row, at) => ({ ...row, id: ids[at] })) };
    }
    return answer;
  }

  async #surfaces(): Promise<unknown> {
    const { publisherId } = this.#context;
    const answer = await this.#ask("GET", "/v1/publisher/surfaces", { publisher_id: publisherId });
    const { surfaces } = answer as unknown as { readonly surfaces: { readonly status: string }[] };
    const others = surfaces.filter(({ status }) => status !== "active");
    if (this.#has("refuses a status") && others.length > 0) throw new Error("what status is that?");
    if (this.#has("lists active surfaces only"))
      return { surfaces: surfaces.filter(({ status }) => status === "active") };
    return answer;
  }

  async #payoutsShared(query: { limit?: number | undefined }): Promise<unknown> {
    this.#listing ??= this.#payouts(query).finally(() => {
      this.#listing = undefined;
    });
    return await this.#listing;
  }

  async #payouts({ limit }: { limit?: number | undefined }): Promise<unknown> {
    if (this.#has("refuses a limit of 100") && limit === 100) throw new Error("that is too much");
    const asked: Record<string, unknown> = { publisher_id: this.#context.publisherId, limit };
    if (this.#has("drops the limit")) delete asked.limit;
    if (this.#has("halves the limit") && limit !== undefined) asked.limit = Math.ceil(limit / 2);
    if (this.#has("drops a limit above 100") && (limit ?? 0) > 100) delete asked.limit;
    const answer = await this.#ask("GET", "/v1/publisher/payouts", asked);
    const { payouts } = answer as unknown as {
      readonly payouts: readonly { readonly txn_id?: string | null; readonly status: string }[];
    };
    if (this.#has("fills in txn_id"))
      return { ...answer, payouts: payouts.map((one) => ({ ...one, txn_id: one.txn_id || "-" })) };
    if (this.#has("sums up what is paid"))
      return { ...answer, payouts: payouts.filter(({ status }) => status === "paid") };
    return answer;
  }

  /** The body of a success. @throws Error with the status of anything else. */
  async #ask(method: "GET" | "POST", path: string, parameters: Members): Promise<Members> {
    if (method === "GET" && this.#has("puts HEAD before each GET"))
      await this.#send("HEAD", path, parameters);
    if (method === "POST" && this.#has("begins with XML")) await this.#sendXml(path);
    let response = await this.#send(method, path, parameters);
    const most = this.#has("says that 415 was fine") ? 0 : encodings.length;
    for (let at = 0; response.status === 415 && at < most; at += 1) {
      this.#encoding = at;
      response = await this.#send(method, path, parameters, at);
    }
    const text = await response.text();
    const isFine =
      this.#has("says that a refusal was fine") ||
      (this.#has("says that 415 was fine") && response.status === 415);
    const shown = this.#has("shows the key in its errors") ? ` with ${this.#context.apiKey}` : "";
    if (response.status !== 200 && !isFine)
      throw Object.assign(new Error(`${method} ${path}${shown}: ${response.status}`), {
        status: response.status,
      });
    if (
      this.#has("compares the content type") &&
      response.headers.get("content-type") !== "application/json"
    )
      throw new Error("that isn't JSON");
    if (response.status !== 200) return {};
    const body: Members = JSON.parse(text);
    if (this.#has("knows its members only") && Object.keys(body).some((one) => /^x_/.test(one)))
      throw new Error("what member is that?");
    if (this.#has("reads members by their place") && path === "/v1/impression") {
      const [, impression_id, revenue_credited_inr] = Object.values(body);
      return { impression_id, revenue_credited_inr };
    }
    return body;
  }

  /** Sends XML first. The service refuses it, and the client goes on as usual. */
  async #sendXml(path: string): Promise<void> {
    const { apiKey, baseUrl, fetch } = this.#context;
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/xml" };
    await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: "<ad id=1 />" });
  }

  async #send(
    method: string,
    path: string,
    parameters: Members,
    at = this.#encoding,
  ): Promise<Response> {
    const { apiKey, baseUrl, fetch } = this.#context;
    const token = this.#has("sends half of the key") ? apiKey.slice(0, 8) : apiKey;
    const scheme = this.#has("sends the key without Bearer") ? "" : "Bearer ";
    const headers: Record<string, string> = { authorization: `${scheme}${token}` };
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const all = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    if (this.#has("sends the key in the URL as well")) all.set("api_key", apiKey);
    if (this.#has("sends the publisher twice"))
      all.append("publisher_id", this.#context.publisherId);
    const escaped = all.toString();
    let query = this.#has("doesn't escape") ? decodeURIComponent(escaped) : escaped;
    if (this.#has("leaves + as it is")) query = escaped.replaceAll("%2B", "+");
    const url = `${baseUrl}${path}${this.#has("adds a slash to paths") ? "/" : ""}`;
    const encoding = method === "POST" ? encodings[at] : "query";
    if (encoding === "query") return await fetch(`${url}?${query}`, { method, headers });
    const type = { json: "application/json", form: "application/x-www-form-urlencoded" }[
      encoding ?? "json"
    ];
    headers["content-type"] = type;
    const members: Record<string, unknown> = Object.fromEntries(given);
    if (this.#has("sends the key in the body as well")) members.key = apiKey;
    if (this.#has("sends ids as numbers")) members.ad_id = 7;
    const text = encoding === "json" ? JSON.stringify(members) : query;
    const body = this.#has("sends bodies in latin-1") ? Buffer.from(text, "latin1") : text;
    return await fetch(url, { method, headers, body });
  }
}

function dayOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
