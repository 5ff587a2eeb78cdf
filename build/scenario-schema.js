/**
 * Generates docs/scenario.schema.json from the types in src/play/scenario/types.ts: `npm run docs`. With `--check` it only
 * says, by its exit code, whether the file is up to date. JavaScript, so that nothing else needs the generator or its types.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as generator from "ts-json-schema-generator";
import { getTitle } from "valibot";
import { ruleSchema } from "../src/faults/rule.ts";
import { invariants } from "../src/invariants/invariants.ts";
import { catalogue } from "../src/spec/assumptions/catalogue.ts";

const root = join(import.meta.dirname, "..");
const file = join(root, "docs/scenario.schema.json");

/** The types that have another single source: fault rules are a schema, choices and invariants are tables. */
function otherTypes() {
  const { $defs, ...FaultRule } = toJsonSchema(ruleSchema, {
    target: "draft-07",
    typeMode: "output",
    // Checks that only code can make: parseScenario alone refuses what they find.
    ignoreActions: ["check", "raw_check", "raw_transform"],
    overrideRef: ({ valibotSchema }) => `#/definitions/${getTitle(valibotSchema)}`,
  });
  delete FaultRule.$schema;
  const parts = Object.values($defs).map(({ title, ...part }) => [title, part]);
  const choices = Object.entries(catalogue).map(([key, point]) => {
    const anyOf = Object.entries(point.choices).map(([name, says]) => {
      return { const: name, description: says };
    });
    return [key, { description: point.question, default: point.default, anyOf }];
  });
  const properties = Object.fromEntries(choices);
  return {
    ...Object.fromEntries(parts),
    FaultRule,
    Choices: { type: "object", properties, additionalProperties: false },
    InvariantId: { type: "string", enum: ["all", ...invariants.map(({ id }) => id)] },
  };
}

function generatedSchema() {
  const others = otherTypes();
  const config = {
    ...generator.DEFAULT_CONFIG,
    path: join(root, "src/play/scenario/types.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "Scenario",
    expose: "all",
    topRef: false,
    sortProps: false,
    skipTypeCheck: true,
    extraTags: ["not", "exactlyOne"],
  };
  const program = generator.createProgram(config);
  const parser = generator.createParser(program, config, (chain) => {
    chain.addNodeParser({
      supportsNode: (node) => Object.hasOwn(others, node.typeName?.text ?? ""),
      createType: ({ typeName: { text } }) =>
        new generator.DefinitionType(text, new generator.AliasType(text, new generator.AnyType())),
    });
  });
  const formatter = generator.createFormatter(config);
  const schema = new generator.SchemaGenerator(program, parser, formatter, config).createSchema(
    config.type,
  );
  return {
    title: "An adsim scenario",
    ...schema,
    definitions: { ...schema.definitions, ...others },
  };
}

// Under its own name the generator would take `oneOf` for all that there is to the type.
const text = `${JSON.stringify(generatedSchema(), undefined, 2)}\n`.replaceAll(
  "exactlyOne",
  "oneOf",
);
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (
  JSON.stringify(JSON.parse(readFileSync(file, "utf8"))) !== JSON.stringify(JSON.parse(text))
)
  process.exitCode = 1;
