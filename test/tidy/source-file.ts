/**
 * A source file as the rules see it: what it imports and which names of the outer world it uses.
 */
import { parseAst } from 'vite';

export type SourceFile = {
  /** From the project's root: `src/render/render.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Names that the file does not declare itself, with the members it takes of them: `Date.now`, `process`. */
  readonly globals: readonly Use[];
};

export type Import = { readonly from: string; readonly line: number; readonly isTypeOnly: boolean };
export type Use = { readonly name: string; readonly line: number };

export function readSource(path: string, text: string): SourceFile {
  const program = parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }) as unknown as Node;
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const imports: Import[] = [];
  const uses: Use[] = [];
  const declared = new Set<string>();
  walk(program, undefined, (node, parent) => {
    const from = importedFrom(node);
    if (from !== undefined) {
      const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type';
      imports.push({ from, line: lineAt(node.start), isTypeOnly });
    }
    for (const name of declaredBy(node)) declared.add(name);
    const name = usedName(node, parent);
    if (name !== undefined) uses.push({ name, line: lineAt(node.start) });
  });
  return { path, text, imports, globals: uses.filter(({ name }) => !declared.has(name.split('.')[0] ?? '')) };
}

/** Only what is needed of a syntax tree. */
type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function walk(
  node: Node,
  parent: Node | undefined,
  visit: (node: Node, parent: Node | undefined) => void,
): void {
  // Types name no values: `Date` in a type is no use of the clock.
  if (/^TS(Type|Interface)/.test(node.type)) return;
  visit(node, parent);
  for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, node, visit);
}

function importedFrom(node: Node): string | undefined {
  const kinds = ['ImportDeclaration', 'ExportAllDeclaration', 'ExportNamedDeclaration', 'ImportExpression'];
  if (!kinds.includes(node.type) || !isNode(node.source)) return undefined;
  return typeof node.source.value === 'string' ? node.source.value : '(computed)';
}

/** Names that a node brings into the file: imports, variables, parameters, functions, classes. */
function declaredBy(node: Node): readonly string[] {
  switch (node.type) {
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return namesIn(node.local);
    case 'VariableDeclarator':
    case 'ClassDeclaration':
      return namesIn(node.id);
    case 'CatchClause':
      return namesIn(node.param);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...namesIn(node.id), ...(node.params as readonly unknown[]).flatMap(namesIn)];
    default:
      return [];
  }
}

/** The names in a binding pattern. */
function namesIn(pattern: unknown): readonly string[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name as string];
    case 'ObjectPattern':
      return (pattern.properties as readonly Node[]).flatMap((one) => namesIn(one.value ?? one.argument));
    case 'ArrayPattern':
      return (pattern.elements as readonly unknown[]).flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** `Date.now` for a member of a name, `Date` for the name alone; nothing for keys and members themselves. */
function usedName(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'MemberExpression' && isNode(node.object) && node.object.type === 'Identifier') {
    const member = isNode(node.property) && node.computed !== true ? `.${String(node.property.name)}` : '';
    return `${String(node.object.name)}${member}`;
  }
  if (node.type !== 'Identifier' || parent === undefined) return undefined;
  const isMember = parent.type === 'MemberExpression' && (parent.object === node || parent.computed !== true);
  const isKey =
    ['Property', 'PropertyDefinition', 'MethodDefinition'].includes(parent.type) && parent.key === node;
  return isMember || (isKey && parent.shorthand !== true) ? undefined : String(node.name);
}
