/* The functions of libstdc++ that link the nodes of lists and trees, compiled with instrumentation, so that each access is
   reported. They do the same as the library's, on the same nodes. The file is C because the runtime has no C++ library. The
   hashing functions here report their accesses and leave the rest to the library. */
#include <stdbool.h>
#include <stddef.h>

#define HOOK __attribute__((visibility("hidden")))

struct link {
  struct link* next;
  struct link* previous;
};

HOOK void omen_list_hook(struct link* self, struct link* position) {
  self->next = position;
  self->previous = position->previous;
  position->previous->next = self;
  position->previous = self;
}

HOOK void omen_list_unhook(struct link* self) {
  struct link* const next = self->next;
  struct link* const previous = self->previous;
  previous->next = next;
  next->previous = previous;
}

/* Moves [first, last) before self. */
HOOK void omen_list_transfer(struct link* self, struct link* first, struct link* last) {
  if (self == last) return;
  struct link* const end = last->previous;
  struct link* const before = self->previous;
  struct link* const source = first->previous;
  end->next = self;
  source->next = last;
  before->next = first;
  self->previous = end;
  last->previous = source;
  first->previous = before;
}

HOOK void omen_list_reverse(struct link* self) {
  struct link* node = self;
  do {
    struct link* const next = node->next;
    node->next = node->previous;
    node->previous = next;
    node = next;
  } while (node != self);
}

/* The ends of two lists: swaps their nodes. */
HOOK void omen_list_swap(struct link* a, struct link* b) {
  const bool a_empty = a->next == a;
  const bool b_empty = b->next == b;
  if (a_empty && b_empty) return;
  struct link* const a_next = a->next;
  struct link* const a_previous = a->previous;
  if (b_empty) {
    a->next = a->previous = a;
  } else {
    a->next = b->next;
    a->previous = b->previous;
    a->next->previous = a->previous->next = a;
  }
  if (a_empty) {
    b->next = b->previous = b;
  } else {
    b->next = a_next;
    b->previous = a_previous;
    a_next->previous = a_previous->next = b;
  }
}

enum color { red, black };

/* The header of a tree is also a node: its parent is the root, its children are the first and the last node. It is red,
   which the root never is. */
struct node {
  enum color color;
  struct node* parent;
  struct node* left;
  struct node* right;
};

HOOK struct node* omen_tree_increment(struct node* node) {
  if (node->right != NULL) {
    node = node->right;
    while (node->left != NULL) node = node->left;
    return node;
  }
  struct node* up = node->parent;
  while (node == up->right) {
    node = up;
    up = up->parent;
  }
  /* If the root has no right child, and was the last node, this is already the header. */
  return node->right != up ? up : node;
}

HOOK struct node* omen_tree_decrement(struct node* node) {
  if (node->color == red && node->parent->parent == node) return node->right; /* the header */
  if (node->left != NULL) {
    node = node->left;
    while (node->right != NULL) node = node->right;
    return node;
  }
  struct node* up = node->parent;
  while (node == up->left) {
    node = up;
    up = up->parent;
  }
  return up;
}

/* Replaces `old`, which has a parent or is the root, by `new`, which may be null. */
static void replace(struct node* old, struct node* new, struct node** root) {
  if (*root == old) {
    *root = new;
  } else if (old->parent->left == old) {
    old->parent->left = new;
  } else {
    old->parent->right = new;
  }
}

static void rotate_left(struct node* down, struct node** root) {
  struct node* const up = down->right;
  down->right = up->left;
  if (up->left != NULL) up->left->parent = down;
  up->parent = down->parent;
  replace(down, up, root);
  up->left = down;
  down->parent = up;
}

static void rotate_right(struct node* down, struct node** root) {
  struct node* const up = down->left;
  down->left = up->right;
  if (up->right != NULL) up->right->parent = down;
  up->parent = down->parent;
  replace(down, up, root);
  up->right = down;
  down->parent = up;
}

HOOK void omen_tree_insert(bool left, struct node* node, struct node* parent, struct node* header) {
  struct node** const root = &header->parent;
  node->parent = parent;
  node->left = node->right = NULL;
  node->color = red;
  if (left) {
    parent->left = node; /* of the header: the first node */
    if (parent == header) {
      header->parent = header->right = node;
    } else if (parent == header->left) {
      header->left = node;
    }
  } else {
    parent->right = node;
    if (parent == header->right) header->right = node;
  }
  while (node != *root && node->parent->color == red) {
    struct node* const up = node->parent->parent;
    const bool on_left = node->parent == up->left;
    struct node* const uncle = on_left ? up->right : up->left;
    if (uncle != NULL && uncle->color == red) {
      node->parent->color = uncle->color = black;
      up->color = red;
      node = up;
      continue;
    }
    if (on_left) {
      if (node == node->parent->right) {
        node = node->parent;
        rotate_left(node, root);
      }
      node->parent->color = black;
      up->color = red;
      rotate_right(up, root);
    } else {
      if (node == node->parent->left) {
        node = node->parent;
        rotate_right(node, root);
      }
      node->parent->color = black;
      up->color = red;
      rotate_left(up, root);
    }
  }
  (*root)->color = black;
}

/* One black node is missing on the paths through `node`, which may be null, below `parent`. */
static void restore_black(struct node* node, struct node* parent, struct node** root) {
  while (node != *root && (node == NULL || node->color == black)) {
    const bool on_left = node == parent->left;
    struct node* sibling = on_left ? parent->right : parent->left;
    if (sibling->color == red) {
      sibling->color = black;
      parent->color = red;
      if (on_left) {
        rotate_left(parent, root);
        sibling = parent->right;
      } else {
        rotate_right(parent, root);
        sibling = parent->left;
      }
    }
    struct node* near = on_left ? sibling->left : sibling->right;
    struct node* far = on_left ? sibling->right : sibling->left;
    const bool near_is_black = near == NULL || near->color == black;
    const bool far_is_black = far == NULL || far->color == black;
    if (near_is_black && far_is_black) {
      sibling->color = red;
      node = parent;
      parent = parent->parent;
      continue;
    }
    if (far_is_black) {
      near->color = black;
      sibling->color = red;
      if (on_left) {
        rotate_right(sibling, root);
        sibling = parent->right;
        far = sibling->right;
      } else {
        rotate_left(sibling, root);
        sibling = parent->left;
        far = sibling->left;
      }
    }
    sibling->color = parent->color;
    parent->color = black;
    if (far != NULL) far->color = black;
    if (on_left) {
      rotate_left(parent, root);
    } else {
      rotate_right(parent, root);
    }
    break;
  }
  if (node != NULL) node->color = black;
}

/* Removes the node from the tree and returns it. */
HOOK struct node* omen_tree_erase(struct node* const gone, struct node* header) {
  struct node** const root = &header->parent;
  struct node* child;  /* the node that moves up; may be null */
  struct node* parent; /* its new parent */
  enum color lost = gone->color;
  if (gone->left != NULL && gone->right != NULL) {
    /* Its successor replaces it. */
    struct node* next = gone->right;
    while (next->left != NULL) next = next->left;
    lost = next->color;
    child = next->right;
    gone->left->parent = next;
    next->left = gone->left;
    if (next == gone->right) {
      parent = next;
    } else {
      parent = next->parent;
      if (child != NULL) child->parent = parent;
      parent->left = child;
      next->right = gone->right;
      gone->right->parent = next;
    }
    replace(gone, next, root);
    next->parent = gone->parent;
    next->color = gone->color;
    gone->color = lost;
  } else {
    child = gone->left != NULL ? gone->left : gone->right;
    parent = gone->parent;
    if (child != NULL) child->parent = parent;
    replace(gone, child, root);
    if (header->left == gone) {
      header->left = parent;
      if (gone->right != NULL) {
        for (header->left = child; header->left->left != NULL;) header->left = header->left->left;
      }
    }
    if (header->right == gone) {
      header->right = parent;
      if (gone->left != NULL) {
        for (header->right = child; header->right->right != NULL;) header->right = header->right->right;
      }
    }
  }
  if (lost == black) restore_black(child, parent, root);
  return gone;
}

void __tsan_read_range(void* address, long bytes);
void __tsan_write_range(void* address, long bytes);

/* The library's own functions; the runtime sets these before the first call. */
HOOK size_t (*omen_real_hash_bytes)(const void*, size_t, size_t);

HOOK size_t omen_hash_bytes(const void* bytes, size_t count, size_t seed) {
  if (count != 0) __tsan_read_range((void*)bytes, (long)count);
  return omen_real_hash_bytes(bytes, count, seed);
}

/* Sizes of hash tables; both functions may store the next size at which the table grows. */
struct policy {
  float most;
  size_t next;
};
struct decision {
  bool grows;
  size_t buckets;
};

HOOK struct decision (*omen_real_need_rehash)(struct policy*, size_t, size_t, size_t);
HOOK struct decision omen_need_rehash(struct policy* policy, size_t buckets, size_t elements, size_t more) {
  __tsan_read_range(&policy->next, sizeof policy->next);
  const size_t before = *(volatile size_t*)&policy->next;
  const struct decision decision = omen_real_need_rehash(policy, buckets, elements, more);
  if (*(volatile size_t*)&policy->next != before) __tsan_write_range(&policy->next, sizeof policy->next);
  return decision;
}

HOOK size_t (*omen_real_next_buckets)(struct policy*, size_t);
HOOK size_t omen_next_buckets(struct policy* policy, size_t least) {
  __tsan_write_range(&policy->next, sizeof policy->next);
  return omen_real_next_buckets(policy, least);
}
