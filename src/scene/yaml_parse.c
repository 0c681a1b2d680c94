// libyaml's events become nodes here, and nowhere else is libyaml spoken to. Its own memory comes
// from malloc: it has no way to take another.
#include "scene/yaml_tree.h"

#ifdef SN_SCENES

#include <string.h>
#include <yaml.h>

typedef struct Build {
    SnYaml *yaml;
    int override; // SN_YAML_NONE: the scene itself
    int open[SN_YAML_DEPTH_MAX];
    int depth;
    int root;
    int document_count;
    int key; // text of the key whose value comes next; SN_YAML_NONE: none
    int key_line;
} Build;

static int line_of(const Build *build, const yaml_mark_t *mark)
{
    return build->override == SN_YAML_NONE ? (int)mark->line + 1 : -1 - build->override;
}

// Refuses what YAML has and scenes do not.
static SinewStatus check_event(const Build *build, const yaml_event_t *event, int line,
                               SinewError *error)
{
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT) {
        return sn_yaml_fail(build->yaml, line, error,
                            "the alias *%s; scenes have none, write the value out",
                            sn_yaml_quote((const char *)event->data.alias.anchor).text);
    }
    if (event->type == YAML_SCALAR_EVENT) {
        tag = event->data.scalar.tag;
        if (memchr(event->data.scalar.value, '\0', event->data.scalar.length) != NULL) {
            return sn_yaml_fail(build->yaml, line, error, "a text holds a zero byte");
        }
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        tag = event->data.mapping_start.tag;
    }
    if (tag != NULL) {
        return sn_yaml_fail(build->yaml, line, error, "the tag %s; scenes have none, leave it out",
                            sn_yaml_quote((const char *)tag).text);
    }
    return SINEW_OK;
}

static SinewStatus take_key(Build *build, const yaml_event_t *event, int line, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnYaml *yaml = build->yaml;
    int map = build->open[build->depth - 1];
    if (event->type != YAML_SCALAR_EVENT) {
        SN_TRY(sn_yaml_fail(yaml, line, error, "a key in %s is a list or mapping, expected a word",
                            sn_yaml_path(yaml, map).text));
    }
    const char *key = (const char *)event->data.scalar.value;
    int twin = sn_yaml_find(yaml, map, key);
    if (twin != SN_YAML_NONE) {
        SN_TRY(sn_yaml_fail(yaml, line, error, "the key \"%s\" is already on line %d",
                            sn_yaml_quote(key).text, sn_yaml_node(yaml, twin)->key_line));
    }
    if (sn_yaml_node(yaml, map)->child_count >= SN_YAML_KEYS_MAX) {
        SN_TRY(sn_yaml_fail(yaml, line, error, "%s has more than %d keys, expected fewer",
                            sn_yaml_path(yaml, map).text, SN_YAML_KEYS_MAX));
    }
    SN_TRY(sn_yaml_add_text(yaml, key, event->data.scalar.length, &build->key, error));
    build->key_line = line;
done:
    return status;
}

static SinewStatus take_value(Build *build, const yaml_event_t *event, int line, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnYaml *yaml = build->yaml;
    SnYamlKind kind = event->type == YAML_SCALAR_EVENT           ? SN_YAML_SCALAR
                      : event->type == YAML_SEQUENCE_START_EVENT ? SN_YAML_LIST
                                                                 : SN_YAML_MAP;
    int node = SN_YAML_NONE;
    SN_TRY(sn_yaml_add_node(yaml, kind, line, &node, error));
    if (build->key != SN_YAML_NONE) {
        sn_yaml_node(yaml, node)->key = build->key;
        sn_yaml_node(yaml, node)->key_line = build->key_line;
        build->key = SN_YAML_NONE;
    }
    if (build->depth > 0) {
        sn_yaml_append(yaml, build->open[build->depth - 1], node);
    } else {
        build->root = node;
    }
    if (kind == SN_YAML_SCALAR) {
        int text = 0;
        SN_TRY(sn_yaml_add_text(yaml, (const char *)event->data.scalar.value,
                                event->data.scalar.length, &text, error));
        sn_yaml_node(yaml, node)->text = text;
        sn_yaml_node(yaml, node)->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        goto done;
    }
    if (build->depth == SN_YAML_DEPTH_MAX) {
        SN_TRY(sn_yaml_fail(yaml, line, error, "nested more than %d deep, expected less",
                            SN_YAML_DEPTH_MAX));
    }
    build->open[build->depth++] = node;
done:
    return status;
}

static SinewStatus take_event(Build *build, const yaml_event_t *event, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int line = line_of(build, &event->start_mark);
    SN_TRY(check_event(build, event, line, error));
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (build->document_count++ > 0) {
            SN_TRY(
                sn_yaml_fail(build->yaml, line, error, "a second document begins, expected one"));
        }
        break;
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (build->depth > 0 && build->key == SN_YAML_NONE &&
            sn_yaml_node(build->yaml, build->open[build->depth - 1])->kind == SN_YAML_MAP) {
            SN_TRY(take_key(build, event, line, error));
        } else {
            SN_TRY(take_value(build, event, line, error));
        }
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --build->depth;
        break;
    default:
        break;
    }
done:
    return status;
}

// What libyaml says, at the line it means; of bytes that are no text it knows the offset alone.
static SinewStatus fail_as_parser(const Build *build, const yaml_parser_t *parser, const char *text,
                                  size_t size, SinewError *error)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        return sn_fail(error, SINEW_ERROR_MEMORY, "no memory to read %.80s", build->yaml->name);
    }
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) {
        mark.line = 0;
        for (size_t i = 0; i < parser->problem_offset && i < size; ++i) {
            mark.line += text[i] == '\n';
        }
    }
    if (parser->error == YAML_SCANNER_ERROR && mark.index < size && text[mark.index] == '\t') {
        return sn_yaml_fail(build->yaml, line_of(build, &mark), error,
                            "is no YAML: a tab is in column %zu, expected spaces to indent by",
                            (size_t)mark.column + 1);
    }
    return sn_yaml_fail(build->yaml, line_of(build, &mark), error, "is no YAML: %s",
                        parser->problem != NULL ? parser->problem : "unknown problem");
}

SinewStatus sn_yaml_parse(SnYaml *yaml, const char *text, size_t size, int override, int *out_root,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Build build = {.yaml = yaml, .override = override, .root = SN_YAML_NONE, .key = SN_YAML_NONE};
    yaml_parser_t parser;
    yaml_event_t event = {.type = YAML_NO_EVENT};
    if (size > SN_YAML_SIZE_MAX) {
        return sn_yaml_fail(yaml, 1, error, "%zu bytes, expected at most %d", size,
                            SN_YAML_SIZE_MAX);
    }
    if (yaml_parser_initialize(&parser) == 0) {
        return sn_fail(error, SINEW_ERROR_MEMORY, "no memory to read %.80s", yaml->name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    for (yaml_event_type_t type = YAML_NO_EVENT; type != YAML_STREAM_END_EVENT;) {
        yaml_event_delete(&event);
        if (yaml_parser_parse(&parser, &event) == 0) {
            SN_TRY(fail_as_parser(&build, &parser, text, size, error));
        }
        type = event.type;
        SN_TRY(take_event(&build, &event, error));
    }
    if (build.root == SN_YAML_NONE) {
        SN_TRY(sn_yaml_fail(yaml, override == SN_YAML_NONE ? 1 : -1 - override, error,
                            "holds nothing, expected a value"));
    }
    *out_root = build.root;
done:
    yaml_event_delete(&event);
    yaml_parser_delete(&parser);
    return status;
}

#else

SinewStatus sn_yaml_parse(SnYaml *yaml, const char *text, size_t size, int override, int *out_root,
                          SinewError *error)
{
    (void)text;
    (void)size;
    (void) override;
    (void)out_root;
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "%.80s: this build of Sinew reads no scenes; configure it with SINEW_SCENES=ON",
                   yaml->name);
}

#endif
