#include "scene/yaml_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

SnYaml sn_yaml_of(const char *name, const SinewOverride *overrides, const SinewAllocator *allocator)
{
    return (SnYaml){.name = name,
                    .overrides = overrides,
                    .nodes = sn_array_of(allocator, sizeof(SnYamlNode)),
                    .texts = sn_array_of(allocator, 1),
                    .root = SN_YAML_NONE};
}

void sn_yaml_release(SnYaml *yaml)
{
    sn_array_release(&yaml->nodes);
    sn_array_release(&yaml->texts);
}

int sn_yaml_find(const SnYaml *yaml, int node, const char *key)
{
    int child = node == SN_YAML_NONE ? SN_YAML_NONE : sn_yaml_node(yaml, node)->first;
    while (child != SN_YAML_NONE && strcmp(sn_yaml_key(yaml, child), key) != 0) {
        child = sn_yaml_node(yaml, child)->next;
    }
    return child;
}

int sn_yaml_at(const SnYaml *yaml, int node, int index)
{
    int child = node == SN_YAML_NONE ? SN_YAML_NONE : sn_yaml_node(yaml, node)->first;
    for (int i = 0; i < index && child != SN_YAML_NONE; ++i) {
        child = sn_yaml_node(yaml, child)->next;
    }
    return child;
}

SinewStatus sn_yaml_add_text(SnYaml *yaml, const char *text, size_t length, int *out_text,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t at = yaml->texts.count;
    char *copy = sn_array_add(&yaml->texts, length + 1);
    SN_TRY(sn_expect_memory(copy, length + 1, 1, error));
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out_text = (int)at;
done:
    return status;
}

SinewStatus sn_yaml_add_node(SnYaml *yaml, SnYamlKind kind, int line, int *out_node,
                             SinewError *error)
{
    SnYamlNode node = {.kind = kind,
                       .is_plain = true,
                       .line = line,
                       .key_line = line,
                       .key = SN_YAML_NONE,
                       .parent = SN_YAML_NONE,
                       .first = SN_YAML_NONE,
                       .last = SN_YAML_NONE,
                       .next = SN_YAML_NONE};
    if (yaml->nodes.count >= SN_YAML_NODES_MAX) {
        return sn_yaml_fail(yaml, line, error, "more than %d values, expected fewer",
                            SN_YAML_NODES_MAX);
    }
    *out_node = (int)yaml->nodes.count;
    return sn_array_push(&yaml->nodes, &node, error);
}

void sn_yaml_append(SnYaml *yaml, int parent, int child)
{
    SnYamlNode *above = sn_yaml_node(yaml, parent);
    if (above->last == SN_YAML_NONE) {
        above->first = child;
    } else {
        sn_yaml_node(yaml, above->last)->next = child;
    }
    above->last = child;
    ++above->child_count;
    sn_yaml_node(yaml, child)->parent = parent;
}

void sn_yaml_replace(SnYaml *yaml, int node, int value)
{
    SnYamlNode *old = sn_yaml_node(yaml, node);
    SnYamlNode fresh = *sn_yaml_node(yaml, value);
    fresh.key = old->key;
    fresh.parent = old->parent;
    fresh.next = old->next;
    *old = fresh;
    for (int c = fresh.first; c != SN_YAML_NONE; c = sn_yaml_node(yaml, c)->next) {
        sn_yaml_node(yaml, c)->parent = node;
    }
}

// ---- sentences --------------------------------------------------------------------------------

SnYamlQuote sn_yaml_quote(const char *text)
{
    SnYamlQuote quote;
    size_t room = sizeof quote.text - 4;
    size_t length = 0;
    for (; length < room && text[length] != '\0'; ++length) {
        unsigned char c = (unsigned char)text[length];
        quote.text[length] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    bool is_cut = text[length] != '\0';
    // A letter of several bytes stays whole or goes.
    while (is_cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        --length;
    }
    memcpy(quote.text + length, is_cut ? "..." : "", is_cut ? 4 : 1);
    return quote;
}

static int place_in_list(const SnYaml *yaml, int node)
{
    int index = 0;
    int other = sn_yaml_node(yaml, sn_yaml_node(yaml, node)->parent)->first;
    for (; other != node && other != SN_YAML_NONE; other = sn_yaml_node(yaml, other)->next) {
        ++index;
    }
    return index;
}

SnYamlPath sn_yaml_path(const SnYaml *yaml, int node)
{
    int chain[SN_YAML_DEPTH_MAX + 2];
    int depth = 0;
    for (; node != SN_YAML_NONE && sn_yaml_node(yaml, node)->parent != SN_YAML_NONE &&
           depth < SN_YAML_DEPTH_MAX + 2;
         node = sn_yaml_node(yaml, node)->parent) {
        chain[depth++] = node;
    }
    SnYamlPath path = {.text = "the scene"};
    size_t used = 0;
    for (int d = depth - 1; d >= 0 && used < sizeof path.text; --d) {
        const char *dot = d == depth - 1 ? "" : ".";
        char *at = path.text + used;
        size_t left = sizeof path.text - used;
        int length =
            sn_yaml_node(yaml, chain[d])->key == SN_YAML_NONE
                ? snprintf(at, left, "%s%d", dot, place_in_list(yaml, chain[d]))
                : snprintf(at, left, "%s%s", dot, sn_yaml_quote(sn_yaml_key(yaml, chain[d])).text);
        used += length > 0 ? (size_t)length : 0;
    }
    return path;
}

SinewStatus sn_yaml_fail(const SnYaml *yaml, int line, SinewError *error, const char *format, ...)
{
    char text[180];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line < 0 && yaml->overrides != NULL) {
        const SinewOverride *override = &yaml->overrides[-1 - line];
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "--set %.40s=%s: %s", override->path,
                       sn_yaml_quote(override->value).text, text);
    }
    return sn_fail_at(error, SINEW_ERROR_FILE, line, "%.80s:%d: %s", yaml->name, line, text);
}
