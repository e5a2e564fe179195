// What a plug-in made for another nsn says of itself.
extern "C" int nsn_plugin_interface() {
  return -1;
}
extern "C" void nsn_plugin_add(void* /*registry*/) {}
