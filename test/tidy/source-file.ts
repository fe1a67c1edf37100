/**
 * A source file as the rules see it: what it imports and exports, how long its functions are, and which globals it uses.
 */
import { parseAst } from 'vite';

export type SourceFile = {
  /** From the project's root: `src/render/render.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Names that the file does not declare itself, with the members it takes of them: `Date.now`, `process`. */
  readonly globals: readonly Use[];
  /** What it declares and exports itself. */
  readonly exports: readonly Export[];
  readonly functions: readonly FunctionExtent[];
};

export type Import = {
  readonly from: string;
  readonly line: number;
  readonly isTypeOnly: boolean;
  /** The names that are taken, by their names over there; `*` for all of them. */
  readonly names: readonly string[];
  /** Of `export … from`: under which names the file passes them on, in the order of `names`. */
  readonly passedOnAs?: readonly string[];
};
export type Use = { readonly name: string; readonly line: number };
export type Export = { readonly name: string; readonly line: number; readonly isUsedHere: boolean };
export type FunctionExtent = { readonly name: string; readonly line: number; readonly lineCount: number };

export function readSource(path: string, text: string): SourceFile {
  const program = parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }) as unknown as Node;
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const imports: Import[] = [];
  const uses: Use[] = [];
  const functions: FunctionExtent[] = [];
  const declared = new Set<string>();
  walk(program, undefined, (node, parent) => {
    const from = importedFrom(node);
    if (from !== undefined) {
      const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type';
      imports.push({ from, line: lineAt(node.start), isTypeOnly, ...namesOf(node) });
    }
    if (FUNCTIONS.includes(node.type)) {
      const line = lineAt(node.start);
      functions.push({ name: functionName(node, parent), line, lineCount: lineAt(node.end) - line + 1 });
    }
    for (const name of declaredBy(node)) declared.add(name);
    const name = usedName(node, parent);
    if (name !== undefined) uses.push({ name, line: lineAt(node.start) });
  });
  const globals = uses.filter(({ name }) => !declared.has(name.split('.')[0] ?? ''));
  const exports = exportedNames(program).map(({ name, start }) => ({
    name,
    line: lineAt(start),
    isUsedHere:
      (text.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')) ?? []).length > 1,
  }));
  return { path, text, imports, globals, exports, functions };
}

/** Only what is needed of a syntax tree. */
type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** The name of a function, or of what it is assigned to. */
function functionName(node: Node, parent: Node | undefined): string {
  const named = [node.id, parent?.id, parent?.key].find(isNode);
  return typeof named?.name === 'string' ? named.name : '(anonymous)';
}

function namesOf(node: Node): Pick<Import, 'names' | 'passedOnAs'> {
  if (node.type === 'ExportAllDeclaration') return { names: ['*'], passedOnAs: ['*'] };
  // A dynamic import takes whatever is there.
  if (node.type === 'ImportExpression') return { names: ['*'] };
  const specifiers = (node.specifiers ?? []) as readonly Node[];
  const nameIn = (value: unknown) => (isNode(value) ? String(value.name ?? value.value) : '*');
  if (node.type === 'ExportNamedDeclaration') {
    return {
      names: specifiers.map(({ local }) => nameIn(local)),
      passedOnAs: specifiers.map(({ exported }) => nameIn(exported)),
    };
  }
  return { names: specifiers.map(({ imported }) => nameIn(imported)) };
}

/** What `export const`, `export function`, `export type` and the like declare. */
function exportedNames(program: Node): readonly { readonly name: string; readonly start: number }[] {
  return (program.body as readonly Node[]).flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || !isNode(node.declaration)) return [];
    const { declaration } = node;
    const ids =
      declaration.type === 'VariableDeclaration'
        ? (declaration.declarations as readonly Node[]).flatMap(({ id }) => namesIn(id))
        : namesIn(declaration.id);
    // An overloaded function is declared several times and exported once.
    return [...new Set(ids)].map((name) => ({ name, start: node.start }));
  });
}

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
