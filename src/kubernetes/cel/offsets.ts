/**
 * The offsets of nodes in the server's error messages: at the operator, or at the beginning.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

export function offsetIn(source: string, node: ASTNode): number {
  switch (node.op) {
    case '.':
    case '.?':
      return after(source, node.args[0], '.');
    case '[]':
    case '[?]':
      return after(source, node.args[0], '[');
    case 'call':
      return node.start + node.args[0].length;
    case 'rcall':
      return after(source, node.args[1], '(');
    case '?:':
      return after(source, node.args[0], '?');
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '||':
    case '&&':
    case '!_':
    case '-_':
      return node.pos;
    default:
      return after(source, node.args[0], node.op);
  }
}

function after(source: string, node: ASTNode, text: string): number {
  const found = source.indexOf(text, node.end);
  return found < 0 ? node.pos : found;
}
