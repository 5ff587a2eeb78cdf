/** The publishers of a world: their keys and surfaces, and new ones. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import { Input } from "./fields.ts";
import type { ViewProps } from "./log.ts";
import {
  ActionButton,
  ActionForm,
  CopyButton,
  link,
  type Part,
  Table,
  useLoaded,
  Waiting,
} from "./parts.ts";

const PAGE = 20;

interface Listing {
  readonly publishers: readonly Publisher[];
  readonly total: number;
}

export function PublishersSection({ api, log }: ViewProps): Part {
  const [offset, setOffset] = useState(0);
  const loaded = useLoaded(
    () => api.get<Listing>(`publishers?offset=${offset}&limit=${PAGE}`),
    [api, offset, log.version],
  );
  const { publishers = [], total = 0 } = loaded.value ?? {};
  const act = (method: "POST" | "PATCH", path: string, body: object) => async () => {
    await api.send(method, path, body);
    loaded.reload();
  };
  const signUp = async ({ name = "", surfaces = "" }): Promise<void> => {
    const names = surfaces
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    const given = {
      ...(name === "" ? {} : { name }),
      ...(names.length === 0 ? {} : { surfaces: names }),
    };
    await act("POST", "publishers", given)();
    // Sign-ups stand at the end.
    setOffset(Math.floor(total / PAGE) * PAGE);
  };
  const pager = (to: number, label: string): Part => html`<button type="button" class="small"
    disabled=${to < 0 || to >= total} onClick=${() => setOffset(to)}>${label}</button>`;
  return html`
    <section><h3>Sign up</h3>
      <${ActionForm} submit="Sign up" act=${signUp}>
        <${Input} label="Name" name="name" placeholder="New publisher" />
        <${Input} label="Names of surfaces, with commas" name="surfaces" placeholder="Main" />
      </${ActionForm}>
    </section>
    <${Waiting} loaded=${loaded} />
    <p class="buttons">${pager(offset - PAGE, "‹ earlier")}
      <span>${offset + 1} to ${Math.min(offset + PAGE, total)} of ${total}</span>${pager(offset + PAGE, "later ›")}</p>
    ${publishers.map((publisher) => html`<${Details} key=${publisher.id} publisher=${publisher} act=${act} />`)}`;
}

function Details(props: {
  readonly publisher: Publisher;
  act(method: "POST" | "PATCH", path: string, body: object): () => Promise<void>;
}): Part {
  const { publisher, act } = props;
  const { id, name, apiKey, surfaces } = publisher;
  const path = `publishers/${encodeURIComponent(id)}`;
  const toggle = ({ id: surface, status }: Surface): Part => {
    const next = status === "active" ? "paused" : "active";
    const label = next === "active" ? "activate" : "pause";
    return html`<${ActionButton} label=${label}
      act=${act("PATCH", `${path}/surfaces/${encodeURIComponent(surface)}`, { status: next })} />`;
  };
  return html`<details class="point">
    <summary>${printable(name)} <span class="quiet"><code>${id}</code></span></summary>
    <p class="buttons">
      <code>${apiKey}</code>
      <${CopyButton} label="Copy the key" text=${apiKey} />
      <${CopyButton} label="Copy the id" text=${id} />
      <${ActionButton} label="Rotate the key" act=${act("POST", `${path}/rotate-key`, {})} />
      ${link({ view: undefined, section: undefined, publisher: id }, "its exchanges")}
    </p>
    <${Table} label="Surfaces" head=${["surface", "name", "status", "CPM", ""]}
      rows=${surfaces.map((one) => [one.id, one.name, one.status, one.cpmRange.join(" – "), toggle(one)])} />
  </details>`;
}
