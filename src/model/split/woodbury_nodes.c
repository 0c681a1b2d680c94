// Which nodes there are, see woodbury.h: springs by themselves, contact lumped to vertices.
#include "model/split/woodbury.h"

#include "model/point_set.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 60 }; // of an interval, to find which vertices are the stiffest

// Corners with less of a point than this are left out.
#define WEIGHT_LEAST 1e-3

// Vertices with less than this share of the largest stiffness are left out. Iterations do not
// grow up to here, and half of the vertices are then enough.
#define STIFFNESS_LEAST 0.1

// Nodes stay as they are while less than this share of the stiffness of contact changes: for a
// preconditioner that is near enough.
#define CHANGE_MOST 0.3

// Memory -----------------------------------------------------------------------------------------

SinewStatus sn_woodbury_nodes_reserve(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t count = (size_t)body->elements.vertex_count;
    size_t vertices = (size_t)w->columns.capacity;
    size_t entries = vertices + 4 * SN_WOODBURY_TIES;
    w->node_max = w->columns.capacity;
    SN_ALLOC(w->place, allocator, count, error);
    SN_ALLOC(w->touched, allocator, count, error);
    SN_ALLOC(w->lumped, allocator, 9 * count, error);
    SN_ALLOC(w->chosen, allocator, count, error);
    SN_ALLOC(w->nodes, allocator, w->node_max, error);
    SN_ALLOC(w->traces, allocator, count, error);
    SN_ALLOC(w->entry_vertex, allocator, entries, error);
    SN_ALLOC(w->entry_weight, allocator, entries, error);
    SN_ALLOC(w->vertices, allocator, vertices, error);
    for (size_t v = 0; v < count; ++v) {
        w->place[v] = w->chosen[v] = -1;
    }
done:
    return status;
}

void sn_woodbury_nodes_release(SnWoodbury *w, const SinewAllocator *allocator)
{
    void *const arrays[] = {w->place,  w->touched,      w->lumped,       w->chosen,  w->nodes,
                            w->traces, w->entry_vertex, w->entry_weight, w->vertices};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
}

// Lumping ----------------------------------------------------------------------------------------

static void add_point(const SnSplit *body, SnWoodbury *w, const int *corners, const double *weights,
                      const double K[9], double scale)
{
    for (size_t a = 0; a < 4; ++a) {
        double share = fabs(weights[a]);
        int outside = corners[a];
        if (share <= WEIGHT_LEAST || body->pins.set.held[outside] == 7) {
            continue;
        }
        int v = body->inside[outside];
        if (w->place[v] < 0) {
            w->place[v] = w->touched_count;
            w->touched[w->touched_count++] = v;
            memset(w->lumped + 9 * (size_t)w->place[v], 0, 9 * sizeof *w->lumped);
        }
        for (size_t k = 0; k < 9; ++k) {
            w->lumped[9 * (size_t)w->place[v] + k] += scale * share * K[k];
        }
    }
}

// Row sums of W^T K W, whose weights add up to one: K goes to corners by their weights. The first
// `ties` active points are left out.
static void lump(const SnSplitProblem *problem, SnWoodbury *w, int ties)
{
    const SnPointSet *points = problem->step->contacts->points;
    for (int i = 0; i < w->touched_count; ++i) {
        w->place[w->touched[i]] = -1;
    }
    w->touched_count = 0;
    for (int i = ties; i < points->active_count; ++i) {
        size_t p = (size_t)points->active[i];
        add_point(problem->body, w, points->vertices + 4 * p, points->weights + 4 * p,
                  points->forces[p].stiffness, problem->h2);
    }
}

static int count_above(const SnWoodbury *w, double least)
{
    int count = 0;
    for (int i = 0; i < w->touched_count; ++i) {
        count += sn_woodbury_trace(w->lumped + 9 * (size_t)i) > least ? 1 : 0;
    }
    return count;
}

// The stiffness that vertices exceed which are chosen: so that they are no more than `most`.
static double find_least(const SnWoodbury *w, int most)
{
    double high = 0.0;
    for (int i = 0; i < w->touched_count; ++i) {
        double trace = sn_woodbury_trace(w->lumped + 9 * (size_t)i);
        high = trace > high ? trace : high;
    }
    double low = STIFFNESS_LEAST * high;
    if (count_above(w, low) <= most) {
        return low;
    }
    for (int k = 0; k < HALVINGS; ++k) {
        double middle = 0.5 * (low + high);
        if (count_above(w, middle) <= most) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

// Nodes ------------------------------------------------------------------------------------------

static void add_entry(SnWoodbury *w, int vertex, double weight)
{
    if (w->chosen[vertex] < 0) {
        w->chosen[vertex] = w->vertex_count;
        w->vertices[w->vertex_count++] = vertex;
    }
    w->entry_vertex[w->entry_count] = w->chosen[vertex];
    w->entry_weight[w->entry_count++] = (float)weight;
}

static void clear(SnWoodbury *w)
{
    for (int i = 0; i < w->vertex_count; ++i) {
        w->chosen[w->vertices[i]] = -1;
    }
    w->vertex_count = w->entry_count = w->node_count = 0;
}

// A spring. One whose corners are all held is none.
static void add_tie(const SnSplitProblem *problem, SnWoodbury *w, int point)
{
    const SnSplit *body = problem->body;
    const SnPointSet *points = problem->step->contacts->points;
    SnWoodburyNode *node = &w->nodes[w->node_count];
    *node = (SnWoodburyNode){.id = -1 - point, .begin = w->entry_count};
    for (size_t a = 0; a < 4; ++a) {
        int outside = points->vertices[4 * (size_t)point + a];
        double weight = points->weights[4 * (size_t)point + a];
        if (weight != 0.0 && body->pins.set.held[outside] != 7) {
            add_entry(w, body->inside[outside], weight);
        }
    }
    for (size_t k = 0; k < 9; ++k) {
        node->stiffness[k] = problem->h2 * points->forces[point].stiffness[k];
    }
    node->end = w->entry_count;
    w->node_count += node->end > node->begin ? 1 : 0;
}

static void add_vertex(SnWoodbury *w, int touched)
{
    SnWoodburyNode *node = &w->nodes[w->node_count++];
    *node = (SnWoodburyNode){.id = w->touched[touched], .begin = w->entry_count};
    add_entry(w, w->touched[touched], 1.0);
    memcpy(node->stiffness, w->lumped + 9 * (size_t)touched, sizeof node->stiffness);
    node->end = w->entry_count;
}

// Active points that are springs with nodes of their own.
static int count_ties(const SnSplitProblem *problem, const SnWoodbury *w)
{
    const SnPointForces *contacts = problem->step->contacts;
    const SnPointSet *points = contacts->points;
    int ties = 0;
    while (ties < points->active_count && points->active[ties] < contacts->tie_count) {
        ties += 1;
    }
    return ties <= SN_WOODBURY_TIES && 8 * ties <= w->node_max ? ties : 0;
}

static void choose(const SnSplitProblem *problem, SnWoodbury *w, int ties, int most)
{
    const SnPointSet *points = problem->step->contacts->points;
    int room = most < w->node_max - 4 * ties ? most : w->node_max - 4 * ties;
    double least = find_least(w, room);
    clear(w);
    for (int i = 0; i < ties; ++i) {
        add_tie(problem, w, points->active[i]);
    }
    for (int i = 0; i < w->touched_count; ++i) {
        if (sn_woodbury_trace(w->lumped + 9 * (size_t)i) > least) {
            add_vertex(w, i);
        }
    }
}

// How much the springs changed since nodes were chosen, kg, or infinitely where there are others.
static double change_of_ties(const SnSplitProblem *problem, const SnWoodbury *w, int ties)
{
    const SnPointSet *points = problem->step->contacts->points;
    double change = ties == w->tie_count ? 0.0 : INFINITY;
    for (int i = 0; i < w->node_count && w->nodes[i].id < 0; ++i) {
        const double *K = points->forces[-1 - w->nodes[i].id].stiffness;
        change +=
            fabs(problem->h2 * sn_woodbury_trace(K) - sn_woodbury_trace(w->nodes[i].stiffness));
    }
    return change;
}

// The same of contact, and out_all what there is of it now.
static double change_of_contact(SnWoodbury *w, double *out_all)
{
    double change = 0.0;
    *out_all = 0.0;
    for (int i = 0; i < w->touched_count; ++i) {
        w->traces[i] = sn_woodbury_trace(w->lumped + 9 * (size_t)i);
        *out_all += w->traces[i];
    }
    for (int i = 0; i < w->node_count; ++i) {
        const SnWoodburyNode *node = &w->nodes[i];
        int place = node->id >= 0 ? w->place[node->id] : -1;
        if (place >= 0) {
            w->traces[place] -= sn_woodbury_trace(node->stiffness);
        } else if (node->id >= 0) {
            change += sn_woodbury_trace(node->stiffness);
        }
    }
    for (int i = 0; i < w->touched_count; ++i) {
        change += fabs(w->traces[i]);
    }
    return change;
}

bool sn_woodbury_find_nodes(const SnSplitProblem *problem, SnWoodbury *w)
{
    int ties = count_ties(problem, w);
    double all;
    lump(problem, w, ties);
    double change = change_of_contact(w, &all) + change_of_ties(problem, w, ties);
    if (w->is_known && change <= CHANGE_MOST * all) {
        return false;
    }
    w->tie_count = ties;
    w->is_known = true;
    // With a limit of solves, three columns each for no more than those.
    int limit = 3 * problem->step->max_solves;
    choose(problem, w, ties, limit > 0 && limit < w->node_max ? limit : w->node_max);
    return true;
}

void sn_woodbury_thin_nodes(const SnSplitProblem *problem, SnWoodbury *w, int most)
{
    choose(problem, w, count_ties(problem, w), most);
}
