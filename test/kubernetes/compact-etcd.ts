/** Makes every version but the newest too old to be read, through etcd's JSON gateway. */
export async function compactEtcd(etcdUrl: string): Promise<void> {
  // A read of nothing answers with the newest revision there is.
  const { header } = await post(`${etcdUrl}/v3/kv/range`, { key: Buffer.from('/none').toString('base64') });
  await post(`${etcdUrl}/v3/kv/compaction`, { revision: header.revision, physical: true });
}

async function post(url: string, body: unknown): Promise<{ readonly header: { readonly revision: string } }> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answers ${answer.status} at ${url}: ${await answer.text()}`);
  // Each answer of etcd has this header.
  return (await answer.json()) as { header: { revision: string } };
}
