/// \file
/// The runtime's own functions that link the nodes of lists and trees (capture/runtime/foreign/containers.c), against
/// those of the C++ library: after every step both have built the same structure.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <list>
#include <random>
#include <set>
#include <vector>

// Standard headers declare the library's functions: std::_Rb_tree_insert_and_rebalance, std::__detail::_List_node_base.
using Node = std::_Rb_tree_node_base;
using Link = std::__detail::_List_node_base;

extern "C" {
void omen_list_hook(Link* self, Link* position);
void omen_list_unhook(Link* self);
void omen_list_transfer(Link* self, Link* first, Link* last);
void omen_list_reverse(Link* self);
void omen_list_swap(Link* a, Link* b);
Node* omen_tree_increment(Node* node);
Node* omen_tree_decrement(Node* node);
void omen_tree_insert(bool left, Node* node, Node* parent, Node* header);
Node* omen_tree_erase(Node* node, Node* header);

// The file is not instrumented here, and its hashing functions are not called.
void __tsan_read_range(void*, long) {}
void __tsan_write_range(void*, long) {}
}

namespace {

constexpr std::size_t kNodes = 40;

/// A pointer into one array of nodes, as an index: the same for both.
template <class T, std::size_t N>
std::ptrdiff_t number(const std::array<T, N>& nodes, const T* node) {
  return node == nullptr ? -1 : node - nodes.data();
}

struct Tree {
  std::array<Node, kNodes + 1> nodes{};  ///< the last one is the header
  std::array<bool, kNodes> present{};

  Tree() {
    header()._M_color = std::_S_red;
    header()._M_parent = nullptr;
    header()._M_left = header()._M_right = &header();
  }
  Node& header() { return nodes[kNodes]; }
  std::vector<std::ptrdiff_t> picture() const {
    std::vector<std::ptrdiff_t> all;
    for (std::size_t i = 0; i <= kNodes; ++i) {
      if (i < kNodes && !present[i]) continue;
      const Node& node = nodes[i];
      for (const Node* to : {node._M_parent, node._M_left, node._M_right}) all.push_back(number(nodes, to));
      all.push_back(node._M_color);
    }
    return all;
  }
};

/// The key of a node is its place in the array.
template <class Insert>
void insert(Tree& tree, std::size_t key, Insert insert) {
  Node* parent = &tree.header();
  bool left = true;
  for (Node* at = tree.header()._M_parent; at != nullptr;) {
    parent = at;
    left = static_cast<std::ptrdiff_t>(key) < number(tree.nodes, at);
    at = left ? at->_M_left : at->_M_right;
  }
  tree.present[key] = true;
  insert(left, &tree.nodes[key], parent, &tree.header());
}

TEST(Containers, TreesAreTheLibrarys) {
  std::size_t erased = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Tree ours;
    Tree theirs;
    for (int step = 0; step < 200; ++step) {
      const std::size_t key = random() % kNodes;
      if (!ours.present[key]) {
        insert(ours, key, omen_tree_insert);
        insert(theirs, key, [](bool left, Node* node, Node* parent, Node* header) {
          std::_Rb_tree_insert_and_rebalance(left, node, parent, *header);
        });
      } else {
        ours.present[key] = theirs.present[key] = false;
        Node* const gone = omen_tree_erase(&ours.nodes[key], &ours.header());
        EXPECT_EQ(gone, &ours.nodes[key]);
        std::_Rb_tree_rebalance_for_erase(&theirs.nodes[key], theirs.header());
        ++erased;
      }
      ASSERT_EQ(ours.picture(), theirs.picture());
      for (std::size_t i = 0; i < kNodes; ++i) {
        if (!ours.present[i]) continue;
        ASSERT_EQ(number(ours.nodes, omen_tree_increment(&ours.nodes[i])),
                  number(theirs.nodes, std::_Rb_tree_increment(&theirs.nodes[i])));
        if (&ours.nodes[i] == ours.header()._M_left) continue;  // nothing comes before the first
        ASSERT_EQ(number(ours.nodes, omen_tree_decrement(&ours.nodes[i])),
                  number(theirs.nodes, std::_Rb_tree_decrement(&theirs.nodes[i])));
      }
      if (ours.header()._M_parent == nullptr) continue;
      ASSERT_EQ(number(ours.nodes, omen_tree_decrement(&ours.header())),
                number(theirs.nodes, std::_Rb_tree_decrement(&theirs.header())));
    }
  }
  EXPECT_GT(erased, 10000U);
}

struct Lists {
  std::array<Link, kNodes + 2> nodes{};  ///< the last two are the ends of lists
  Lists() {
    for (const std::size_t end : {kNodes, kNodes + 1}) nodes[end]._M_next = nodes[end]._M_prev = &nodes[end];
  }
  std::vector<std::ptrdiff_t> picture() const {
    std::vector<std::ptrdiff_t> all;
    for (const Link& node : nodes) {
      all.push_back(number(nodes, node._M_next));
      all.push_back(number(nodes, node._M_prev));
    }
    return all;
  }
};

TEST(Containers, ListsAreTheLibrarys) {
  std::size_t swapped = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Lists ours;
    Lists theirs;
    std::array<bool, kNodes> present{};
    for (int step = 0; step < 200; ++step) {
      const std::size_t node = random() % kNodes;
      std::size_t where = random() % (kNodes + 2);
      if (where < kNodes && !present[where]) where = kNodes + random() % 2;
      switch (random() % 8) {
        case 0:
          omen_list_reverse(&ours.nodes[kNodes]);
          theirs.nodes[kNodes]._M_reverse();
          break;
        case 1:
          omen_list_swap(&ours.nodes[kNodes], &ours.nodes[kNodes + 1]);
          Link::swap(theirs.nodes[kNodes], theirs.nodes[kNodes + 1]);
          ++swapped;
          break;
        case 2:
          if (!present[node] || where == node) break;
          omen_list_transfer(&ours.nodes[where], &ours.nodes[node], ours.nodes[node]._M_next);
          theirs.nodes[where]._M_transfer(&theirs.nodes[node], theirs.nodes[node]._M_next);
          break;
        case 3:
        case 4:
          if (!present[node]) break;
          omen_list_unhook(&ours.nodes[node]);
          theirs.nodes[node]._M_unhook();
          present[node] = false;
          break;
        default:
          if (present[node]) break;
          omen_list_hook(&ours.nodes[node], &ours.nodes[where]);
          theirs.nodes[node]._M_hook(&theirs.nodes[where]);
          present[node] = true;
          break;
      }
      ASSERT_EQ(ours.picture(), theirs.picture());
    }
  }
  EXPECT_GT(swapped, 1000U);
}

}  // namespace
