//! Chains such as `a.b(c).d()`: they nest to the left, one level per link, and
//! may be as long as people like. They are followed down in a loop and built
//! on the way back.

use crate::facts::{Builder, ExprId};
use tree_sitter::Node;

pub(super) trait MethodChain<'a> {
    fn builder(&mut self) -> &mut Builder<'a>;

    /// What the node is a further link of; none where a chain begins.
    fn left_of(node: Node<'_>) -> Option<Node<'_>>;

    /// What a chain begins with.
    fn plain(&mut self, node: Node<'_>) -> ExprId;

    /// One link, whose left side (`inner`) is already known.
    fn link(&mut self, node: Node<'_>, inner: Node<'_>, left: ExprId) -> ExprId;

    /// The whole chain that ends with a node.
    fn chain(&mut self, node: Node<'_>) -> ExprId {
        let mut chain = Vec::new();
        let mut at = node;
        while let Some(left) = Self::left_of(at) {
            chain.push(at);
            at = left;
        }
        if !self.builder().dive() {
            return Builder::OPAQUE;
        }
        let mut value = self.plain(at);
        while let Some(link) = chain.pop() {
            value = self.link(link, at, value);
            at = link;
        }
        self.builder().rise();
        value
    }
}
