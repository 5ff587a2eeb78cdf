/** The world as it was right before or after an entry, and a world of its own that goes on from there. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { type Api, pageOf } from "./api.ts";
import type { Catalogue, Moment, PublisherState, State } from "./contract.ts";
import { Choose, Input } from "./fields.ts";
import { Code } from "./json-text.ts";
import { type Loaded, useLoaded } from "./loading.ts";
import { ActionForm, Facts, inr, link, OnServer, type Part, Table, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

export function StateTab(props: {
  readonly api: Api;
  readonly sequence: number;
  readonly hasHappened: boolean;
  /** As the publisher of the request sees it. */
  readonly moment: Loaded<Moment>;
  readonly catalogue: Catalogue;
  readonly publishers: readonly string[];
}): Part {
  const { api, sequence, hasHappened, catalogue, publishers } = props;
  const place = usePlace();
  const when = place.when === "before" ? "before" : "after";
  const who = place.who ?? "";
  const others = useLoaded(
    async () =>
      who === ""
        ? undefined
        : await api.get<Moment>(`history/${sequence}?publisher=${encodeURIComponent(who)}`),
    [api, sequence, who],
    { retryOn: hasHappened },
  );
  const loaded = who === "" ? props.moment : others;
  const moment = loaded.value;
  const known = [...new Set([...publishers, who])].filter((id) => id !== "");
  return html`
    <div class="buttons" role="group" aria-label="Moment">
      ${(["before", "after"] as const).map(
        (one) => html`<button type="button" key=${one} aria-pressed=${one === when}
          onClick=${() => go({ when: one === "after" ? undefined : one }, "replace")}>${one} #${sequence}</button>`,
      )}
      <${OnServer}><${Choose} label="Publisher" value=${who} onChoose=${(id: string) => go({ who: id }, "replace")}
        options=${[["", "publisher of the request"], ...known.map((id) => [id, id])]} /></${OnServer}>
    </div>
    ${loaded.error === undefined && moment?.[when] !== null && html`<${OnServer}><${GoOn} key=${sequence} api=${api} sequence=${sequence} when=${when} mode=${moment?.[when]?.mode} /></${OnServer}>`}
    <${Waiting} loaded=${loaded} />
    ${moment?.[when] === null && html`<p class="quiet">The moment before this entry can't be rebuilt: what leads to it was dropped.</p>`}
    ${moment?.[when] && html`<${StateView} state=${moment[when]} catalogue=${catalogue} />`}`;
}

function GoOn(props: {
  readonly api: Api;
  readonly sequence: number;
  readonly when: "before" | "after";
  /** The mode of the clock then. */
  readonly mode: string | undefined;
}): Part {
  const { api, sequence, when, mode } = props;
  const [made, setMade] = useState("");
  const act = async ({ name = "" }): Promise<void> => {
    await api.send("POST", "worlds", { name, [when]: sequence });
    setMade(name);
  };
  const origin = `${api.world}, ${when} #${sequence}`;
  return html`<section class="notice go-on">
    <h3>Go on from here</h3>
    <p class="quiet">Creates a separate world with this state${clockText(mode)}.</p>
    <${ActionForm} submit="Make a world" act=${act}>
      <${Input} label="Name of the new world" name="name" value=${`from-${sequence}`} />
    </${ActionForm}>
    ${made !== "" && html`<p>World ${made} is ready: <a href=${pageOf(made, { origin })}>open it</a>.</p>`}
  </section>`;
}

/** What the clock of a world that goes on from here does. */
function clockText(mode: string | undefined): string {
  if (mode === undefined) return "";
  return mode === "frozen" ? " and a frozen clock" : ", whose clock continues from this time";
}

function StateView({
  state,
  catalogue,
}: {
  readonly state: State;
  readonly catalogue: Catalogue;
}): Part {
  const changed = Object.entries(state.assumptions).filter(
    ([key, choice]) => catalogue[key] !== undefined && catalogue[key].default !== choice,
  );
  return html`
    <section><h3>Clock</h3><p>${state.now} ${state.mode}</p></section>
    ${
      state.publisher === null
        ? html`<p class="quiet">No publisher is behind this request. Choose one above.</p>`
        : html`<${PublisherView} publisher=${state.publisher} />`
    }
    <section><h3>Assumptions that differ from the defaults</h3>
      ${
        changed.length === 0
          ? html`<p class="quiet">None.</p>`
          : html`<ul>${changed.map(
              ([key, choice]) => html`<li key=${key}>
                ${link({ view: "world", section: "assumptions", search: key }, key)}=<b>${choice}</b>
              </li>`,
            )}</ul>`
      }
    </section>
    <section><h3>Fault rules</h3>
      ${
        state.faults.length === 0
          ? html`<p class="quiet">None.</p>`
          : html`<${Table} label="Fault rules" head=${["rule", "kind", "seen", "fired"]}
              rows=${state.faults.map(({ id, verdict, seen, fired }) => [id, verdict?.kind ?? "function", seen, fired])} />`
      }
    </section>`;
}

function PublisherView({ publisher }: { readonly publisher: PublisherState }): Part {
  const { id, name, surfaces, books, quotas, stats, payouts } = publisher;
  return html`
    <section><h3>Publisher</h3>
      <${Facts} facts=${[
        ["Id", id],
        ["Name", name],
        ["Impressions since the start", `${books.impressions}`],
        ["Clicks since the start", `${books.clicks}`],
        ["Revenue", inr(books.revenueInr)],
        ["Paid", inr(books.paidInr)],
        ["Pending", inr(books.pendingInr)],
        ...quotas.map((one) => [`Quota: ${one.name}`, `${one.remaining} of ${one.limit} left`]),
      ]} />
    </section>
    <section><h3>Surfaces</h3>
      <${Table} label="Surfaces" head=${["id", "name", "status", "CPM"]}
        rows=${surfaces.map((one) => [one.id, one.name, one.status, one.cpmRange.join(" – ")])} />
    </section>
    <${Report} title="Statistics" answer=${stats} list="surfaces" />
    <${Report} title="Payouts" answer=${payouts} list="payouts" />`;
}

/** An answer of the service: its list as a table, everything else as facts. */
function Report(props: {
  readonly title: string;
  readonly answer: PublisherState["stats"];
  readonly list: string;
}): Part {
  const { title, answer, list } = props;
  const { status, body } = answer;
  const members: [string, unknown][] = status === 200 ? Object.entries(JSON.parse(body)) : [];
  const rows: unknown = members.find(([name]) => name === list)?.[1];
  if (status !== 200 || !Array.isArray(rows)) {
    return html`<section><h3>${title}: ${status}</h3>
      <${Code} label=${title} text=${body} /></section>`;
  }
  const head = [...new Set(rows.flatMap((row: object) => Object.keys(row)))];
  return html`<section><h3>${title}</h3>
    <${Facts} facts=${members
      .filter(([name]) => name !== list)
      .map(([name, value]) => [
        name,
        typeof value === "object" ? Object.values(value ?? {}).join(" to ") : `${value}`,
      ])} />
    ${
      rows.length > 0 &&
      html`<${Table} label=${title} head=${head}
        rows=${rows.map((row: object) => head.map((name) => Reflect.get(row, name)))} />`
    }
  </section>`;
}
