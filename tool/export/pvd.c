#include "tool/export/pvd.h"

#include "tool/export/xml_escape.h"

SinewStatus sn_pvd_write(const SnPvdEntry *entries, int count, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    // The byte order is asked for, though there are no bytes in any order.
    sn_whole_file_printf(&file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                                "version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int i = 0; i < count; ++i) {
        const SnPvdEntry *entry = &entries[i];
        sn_whole_file_printf(&file, "<DataSet timestep=\"%.17g\" group=\"\" part=\"%d\"",
                             entry->time, entry->part);
        if (entry->name != NULL) {
            sn_whole_file_printf(&file, " name=\"");
            sn_xml_put_escaped(&file, entry->name);
            sn_whole_file_printf(&file, "\"");
        }
        sn_whole_file_printf(&file, " file=\"");
        sn_xml_put_escaped(&file, entry->file);
        sn_whole_file_printf(&file, "\"/>\n");
    }
    sn_whole_file_printf(&file, "</Collection>\n</VTKFile>\n");
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}
