//! Strongly connected components, without recursion.

/// Which steps can reach each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// Number of the component of each node.
    of: Vec<usize>,
    /// Nodes of each component, ascending.
    members: Vec<Vec<usize>>,
    /// Whether a component holds a cycle: several nodes, or one with an edge to itself.
    cyclic: Vec<bool>,
}

impl Components {
    /// The components of a graph, given as successors of each node. A component comes after those that can be reached from it.
    ///
    /// **Source**: Sharir 1981, with a stack instead of recursion.
    pub fn of(successors: &[Vec<usize>]) -> Self {
        let count = successors.len();
        let predecessors = super::reversed(successors);
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        (0..count).for_each(|node| visit(&predecessors, node, &mut seen, &mut order));
        let mut found = Self {
            of: vec![0; count],
            ..Self::default()
        };
        let mut seen = vec![false; count];
        for root in order.into_iter().rev() {
            let mut members = Vec::new();
            visit(successors, root, &mut seen, &mut members);
            if members.is_empty() {
                continue;
            }
            members.sort_unstable();
            for node in &members {
                found.of[*node] = found.members.len();
            }
            let loops = members.len() > 1 || successors[root].contains(&root);
            found.cyclic.push(loops);
            found.members.push(members);
        }
        found
    }

    /// Number of the component of a node.
    pub fn component(&self, node: usize) -> usize {
        self.of.get(node).copied().unwrap_or(usize::MAX)
    }

    /// Whether two nodes can reach each other.
    pub fn same(&self, one: usize, other: usize) -> bool {
        self.component(one) == self.component(other) && one < self.of.len()
    }

    /// Whether a node lies on a cycle.
    pub fn is_cyclic(&self, node: usize) -> bool {
        self.cyclic.get(self.component(node)) == Some(&true)
    }

    /// The members of the component of a node, ascending.
    pub fn members(&self, node: usize) -> &[usize] {
        let members = self.members.get(self.component(node));
        members.map_or(&[], Vec::as_slice)
    }

    /// The components that hold a cycle, each ascending, by their first member.
    pub fn cyclic(&self) -> Vec<Vec<usize>> {
        let all = self.members.iter().zip(&self.cyclic);
        let cyclic = all.filter(|(_, cyclic)| **cyclic);
        let mut all: Vec<Vec<usize>> = cyclic.map(|(members, _)| members.clone()).collect();
        all.sort();
        all
    }
}

/// Adds the nodes that can be reached from `from` and were not seen yet, each after those that can be reached from it.
fn visit(edges: &[Vec<usize>], from: usize, seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[from], true) {
        return;
    }
    // Each entry: a node, and how many of its edges have been followed.
    let mut open = vec![(from, 0)];
    while let Some((node, followed)) = open.last_mut() {
        let Some(to) = edges[*node].get(*followed) else {
            order.push(*node);
            open.pop();
            continue;
        };
        *followed += 1;
        if !std::mem::replace(&mut seen[*to], true) {
            open.push((*to, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cycles_are_found() {
        let found = Components::of(&[vec![1], vec![2, 3], vec![0], vec![3], vec![3]]);
        assert_eq!(found.cyclic(), [vec![0, 1, 2], vec![3]]);
        assert!(found.same(0, 2) && !found.same(0, 3) && !found.is_cyclic(4));
        let long: Vec<Vec<usize>> = (0..100_000)
            .map(|node| vec![(node + 1) % 100_000])
            .collect();
        assert_eq!(Components::of(&long).cyclic().len(), 1);
    }

    fn reach(successors: &[Vec<usize>], from: usize) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut work = successors[from].clone();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                work.extend(&successors[node]);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn components_are_mutual_reachability(edges in prop::collection::vec((0..9_usize, 0..9_usize), 0..24)) {
            let mut successors = vec![Vec::new(); 9];
            for (from, to) in edges {
                successors[from].push(to);
            }
            let found = Components::of(&successors);
            let reach: Vec<Vec<bool>> = (0..9).map(|node| reach(&successors, node)).collect();
            for (one, ahead) in reach.iter().enumerate() {
                prop_assert_eq!(found.is_cyclic(one), ahead[one]);
                for (other, back) in reach.iter().enumerate() {
                    let mutual = one == other || (ahead[other] && back[one]);
                    prop_assert_eq!(found.same(one, other), mutual);
                }
            }
        }
    }
}
