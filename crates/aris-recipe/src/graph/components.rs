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
    /// The components of a graph given as successors of each node.
    ///
    /// **Source**: Tarjan 1972, with a stack of its own.
    pub fn of(successors: &[Vec<usize>]) -> Self {
        let count = successors.len();
        let mut search = Search {
            successors,
            number: vec![None; count],
            low: vec![0; count],
            stacked: vec![false; count],
            stack: Vec::new(),
            next: 0,
            found: Self {
                of: vec![0; count],
                members: Vec::new(),
                cyclic: Vec::new(),
            },
        };
        for node in 0..count {
            if search.number.get(node) == Some(&None) {
                search.from(node);
            }
        }
        search.found
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
        self.members
            .get(self.component(node))
            .map_or(&[], Vec::as_slice)
    }

    /// The components that hold a cycle, each ascending, by their first member.
    pub fn cyclic(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = self
            .members
            .iter()
            .zip(&self.cyclic)
            .filter(|(_, cyclic)| **cyclic)
            .map(|(members, _)| members.clone())
            .collect();
        all.sort();
        all
    }
}

struct Search<'a> {
    successors: &'a [Vec<usize>],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    stacked: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Components,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        // Each entry: a node, and how many of its successors have been looked at.
        let mut work = vec![(root, 0)];
        self.enter(root);
        while let Some((node, seen)) = work.last_mut() {
            let node = *node;
            let successor = self.successors.get(node).and_then(|all| all.get(*seen));
            *seen += 1;
            if let Some(successor) = successor.copied() {
                match self.number.get(successor).copied().flatten() {
                    None => {
                        self.enter(successor);
                        work.push((successor, 0));
                    }
                    Some(number) if self.stacked.get(successor) == Some(&true) => {
                        self.lower(node, number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                let low = self.low.get(node).copied().unwrap_or_default();
                self.lower(*parent, low);
            }
            if self.number.get(node).copied().flatten() == self.low.get(node).copied() {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        if let (Some(number), Some(low), Some(stacked)) = (
            self.number.get_mut(node),
            self.low.get_mut(node),
            self.stacked.get_mut(node),
        ) {
            *number = Some(self.next);
            *low = self.next;
            *stacked = true;
        }
        self.next += 1;
        self.stack.push(node);
    }

    fn lower(&mut self, node: usize, to: usize) {
        if let Some(low) = self.low.get_mut(node) {
            *low = (*low).min(to);
        }
    }

    fn close(&mut self, root: usize) {
        let mut members = Vec::new();
        while let Some(node) = self.stack.pop() {
            if let (Some(stacked), Some(component)) =
                (self.stacked.get_mut(node), self.found.of.get_mut(node))
            {
                *stacked = false;
                *component = self.found.members.len();
            }
            members.push(node);
            if node == root {
                break;
            }
        }
        members.sort_unstable();
        let own = self.successors.get(root);
        self.found
            .cyclic
            .push(members.len() > 1 || own.is_some_and(|all| all.contains(&root)));
        self.found.members.push(members);
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
