//! Strongly connected components of a graph, by Tarjan's algorithm without recursion: chains of changes can be long.

/// The components of the graph with the nodes `0..nodes`, each with its nodes in ascending order. A component comes after
/// those that its edges lead to; roots are taken in the given order, so that components of neighbours are neighbours.
pub(crate) fn components(
    nodes: usize,
    roots: impl Iterator<Item = u32>,
    edges: impl Fn(u32, &mut Vec<u32>),
) -> Vec<Vec<u32>> {
    let mut search = Search {
        number: vec![UNSEEN; nodes],
        lowest: vec![0; nodes],
        is_open: vec![false; nodes],
        open: Vec::new(),
        seen: 0,
    };
    let mut found = Vec::new();
    for root in roots {
        if search.number[root as usize] != UNSEEN {
            continue;
        }
        // The path from the root, each node with the edges that are still to be followed.
        let mut path = vec![search.enter(root, &edges)];
        while let Some((node, left)) = path.last_mut() {
            let node = *node;
            match left.pop() {
                Some(next) if search.number[next as usize] == UNSEEN => {
                    path.push(search.enter(next, &edges));
                }
                Some(next) => {
                    if search.is_open[next as usize] {
                        search.lower(node, search.number[next as usize]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((caller, _)) = path.last() {
                        search.lower(*caller, search.lowest[node as usize]);
                    }
                    found.extend(search.close(node));
                }
            }
        }
    }
    found
}

const UNSEEN: u32 = u32::MAX;

struct Search {
    /// The number of each node in the order of the search.
    number: Vec<u32>,
    /// The lowest number of an open node that each node leads to.
    lowest: Vec<u32>,
    /// Whether the component of a node is not complete.
    is_open: Vec<bool>,
    open: Vec<u32>,
    seen: u32,
}

impl Search {
    fn enter(&mut self, node: u32, edges: impl Fn(u32, &mut Vec<u32>)) -> (u32, Vec<u32>) {
        self.number[node as usize] = self.seen;
        self.lowest[node as usize] = self.seen;
        self.is_open[node as usize] = true;
        self.open.push(node);
        self.seen += 1;
        let mut left = Vec::new();
        edges(node, &mut left);
        (node, left)
    }

    fn lower(&mut self, node: u32, number: u32) {
        let lowest = &mut self.lowest[node as usize];
        *lowest = (*lowest).min(number);
    }

    /// The component that is complete with this node, if there is one.
    fn close(&mut self, node: u32) -> Option<Vec<u32>> {
        if self.lowest[node as usize] != self.number[node as usize] {
            return None;
        }
        let from = self.open.iter().rposition(|&open| open == node)?;
        let mut component = self.open.split_off(from);
        component.iter().for_each(|&member| self.is_open[member as usize] = false);
        component.sort_unstable();
        Some(component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(nodes: usize, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        components(nodes, 0..nodes as u32, |node, next| {
            next.extend(edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to));
        })
    }

    #[test]
    fn a_chain_of_a_million_nodes_is_no_problem() {
        let nodes = 1_000_000u32;
        let chain = components(nodes as usize, 0..nodes, |node, next| {
            next.extend((node + 1 < nodes).then_some(node + 1));
        });
        assert_eq!((chain.len(), &chain[0]), (nodes as usize, &vec![nodes - 1]));
    }

    proptest! {
        #[test]
        fn components_are_the_nodes_that_lead_to_each_other_and_come_after_what_they_lead_to(
            edges in proptest::collection::vec((0..9u32, 0..9u32), 0..20)
        ) {
            let mut leads = vec![vec![false; 9]; 9];
            (0..9).for_each(|node| leads[node][node] = true);
            edges.iter().for_each(|&(from, to)| leads[from as usize][to as usize] = true);
            for over in 0..9 {
                let onwards = leads[over].clone();
                for row in leads.iter_mut().filter(|row| row[over]) {
                    row.iter_mut().zip(&onwards).for_each(|(to, &next)| *to |= next);
                }
            }
            let found = of(9, &edges);
            let position = |node: usize| found.iter().position(|c| c.contains(&(node as u32))).unwrap();
            for (from, to) in (0..9).flat_map(|from| (0..9).map(move |to| (from, to))) {
                let is_mutual = leads[from][to] && leads[to][from];
                prop_assert_eq!(position(from) == position(to), is_mutual);
                prop_assert!(!leads[from][to] || position(to) <= position(from));
            }
            prop_assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 9);
        }
    }
}
