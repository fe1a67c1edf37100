import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { canonicalJson } from '../../src/json.ts';
import { ConfigMerger, encodeIgnition, parseIgnition } from '../../src/ignition/index.ts';
import { configCases, mergeCases } from './corpus.ts';
import { startOracle } from './oracle.ts';
import { askToMerge, askToParse, askToValidate } from './questions.ts';

const pathOf = (p: readonly (string | number)[] = []) => p.map((x) => (typeof x === 'number' ? `[${x}]` : `.${x}`)).join('').replace(/^\./, '');
it('scratch', async () => {
  const oracle = await startOracle('ignition');
  if ('unavailable' in oracle) throw new Error(oracle.unavailable);
  const out: string[] = [];
  for (const s of ['versions','types','files','directories-and-links','resources','units','passwd','disks','raid','filesystems','luks','section','spec-2']) {
    let bad = 0, n = 0;
    for (const c of configCases(s)) {
      n++;
      const v = await askToValidate(oracle, c.config);
      const a = v.ok ? await askToParse(oracle, c.config) : v;
      let ours;
      try { ours = parseIgnition(c.config); } catch (e) { out.push(`[${s}] ${c.name} THROWS ${e}`); bad++; continue; }
      const errs = a.report.filter((e) => e.kind === 'error');
      const types = errs.some((e) => e.message.startsWith('json: cannot'));
      const t = a.ok ? `ok ${canonicalJson(a.config)}` : types ? 'refused' : a.stage === 'mode' || errs.length === 0 ? `bad ${a.error}` : `bad ${JSON.stringify([...new Set(errs.map((e) => `${s === 'spec-2' ? '' : pathOf(e.path)}: ${e.message}`))].sort())}`;
      const o = ours.kind === 'ok' ? `ok ${canonicalJson(encodeIgnition(ours.value))}` : types ? 'refused' : errs.length === 0 ? `bad ${ours.problems.map((p) => p.message).join('|')}` : `bad ${JSON.stringify([...new Set(ours.problems.map((p) => `${s === 'spec-2' ? '' : p.path}: ${p.message}`))].sort())}`;
      const norm = (x: string) => (s === 'spec-2' ? x.replace(/"[^"]*?: /g, '"') : x);
      if (norm(t) !== norm(o)) { bad++; out.push(`[${s}] ${c.name}\n    theirs ${t.slice(0, 700)}\n    ours   ${o.slice(0, 700)}`); }
    }
    out.push(`== ${s}: ${bad} of ${n} differ`);
  }
  let bad = 0;
  for (const c of mergeCases()) {
    const a = await askToMerge(oracle, c.configs);
    const merger = new ConfigMerger();
    let refused = '';
    c.configs.forEach((config, i) => { if (config === null) return; const p = parseIgnition(config); if (p.kind === 'ok') merger.absorb(p.value, `c${i}`); else refused ||= JSON.stringify(p.problems); });
    const o = refused || canonicalJson(encodeIgnition(merger.finish().config));
    const t = a.ok ? canonicalJson(a.config) : `refused ${a.error}`;
    if (o !== t) { bad++; out.push(`[merge] ${c.name}\n    theirs ${t}\n    ours   ${o}`); }
  }
  out.push(`== merge: ${bad} differ`);
  writeFileSync('/tmp/oracle/scratch/diff.txt', out.join('\n'));
  await oracle.close();
});
