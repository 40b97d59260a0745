// Runs every driver on its scripts.
import { readFileSync } from "node:fs";
let total = 0;
for (const line of readFileSync("index.txt", "utf8").trim().split("\n")) {
  const [stem, traced] = line.split(" ");
  const driver = await import(`./${stem}_driver.mjs`);
  const lines = readFileSync(`${stem}.script`, "utf8").trim().split("\n");
  if (lines.pop() !== "Q") throw new Error("the script is cut off");
  total += await driver.run({ traced: traced === "1", steps: lines });
}
console.log(`steps ${total}`);
